import { describe, expect, test } from "bun:test";
import { BUILTIN_JUDGE } from "../../src/arms/model/model-ref.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import type { Criterion, Measure } from "../../src/domain/rubric.ts";
import type { ArmSummary } from "../../src/domain/session.ts";
import type { ProbeCheck } from "../../src/domain/task.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { buildCase, type CaseParts, change, judged, NO_CHANGE, probe, reading, turn } from "./build-case.ts";
import { countingEntropy, fixedClock, scoringJudge } from "./mock-judge.ts";
import { chanceOf } from "./simulation/pairs.ts";

const measured = (measure: Measure, weight = 1): Criterion => ({ id: measure, kind: "measured", measure, weight });

/** By no model, or by one that gives the arm whose answer says "first" the better score. */
async function verdictOn(parts: CaseParts, by: "nobody" | "words" = "nobody"): Promise<Verdict> {
  const model =
    by === "words" ? scoringJudge(({ evidence }) => ({ style: evidence.includes("first") ? 4 : 0 })) : undefined;
  const options = { model, model_name: model ? "mock/judge" : BUILTIN_JUDGE, clock: fixedClock() };
  const judge = openJudge({ ...options, entropy: countingEntropy() });
  return await judge(buildCase(parts), new AbortController().signal);
}

const SAME = { changes: change("return slice(0, n);") };
const style = [judged("style")];
const answers = { a: { final_answer: "first" }, b: { final_answer: "second" } };

test("a winner by measures of equal work is low, and the statement says that the work is equal", async () => {
  const verdict = await verdictOn({
    ...{ a: { ...SAME, wall_ms: 100 }, b: { ...SAME, wall_ms: 1_000 } },
    criteria: [measured("wall_ms")],
  });
  expect(verdict).toMatchObject({ winner: "plain", decided_by: "measured", confidence: "low" });
  expect(verdict.flags).toContain("equal_work");
  expect(verdict.statement).toStartWith(
    "In this one run of pager-last-page, both arms left the same work; no model judged; the measured criteria favour",
  );
});

test("a judge that likes length makes no more than a low winner of equal work", async () => {
  const model = scoringJudge(({ evidence }) => ({ style: evidence.includes("read_file") ? 4 : 0 }));
  const judge = openJudge({ model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() });
  const decisions_a = [turn(1, "I look."), reading(2, "src/pager.ts"), reading(3, "src/pager.ts")];
  const kase = buildCase({ a: SAME, b: SAME, decisions_a, criteria: style });
  const { winner, decided_by, score_gap, confidence, statement } = await judge(kase, new AbortController().signal);
  expect({ winner, decided_by, score_gap, confidence }).toEqual({
    ...{ winner: "plain", decided_by: "judge", score_gap: 1, confidence: "low" },
  });
  expect(statement).toContain("both arms left the same work; judge mock/judge favoured plain over tdd");
});

test("a check that tells answers or calls apart is no chance, though the files are the same", async () => {
  const common = {
    required: true,
    weight: 1,
    before: "fail" as const,
    output_matches: null,
    timeout_s: 9,
    expect_exit: 0,
  };
  const asked = (kind: Partial<ProbeCheck>) => ({
    files: { dir: null, files: {}, digest: "0".repeat(64) },
    checks: probe("pass", 1).checks.map(({ id }) => ({ id, ...common, ...kind })),
  });
  const files = { a: { ...SAME, probe: probe("pass", 1) }, b: { ...SAME, probe: probe("fail", 1) } };
  const kinds: Partial<ProbeCheck>[] = [
    { answer_contains: ["x"] },
    { called: { tool: "read_file", match: null, min: 1 } },
    { run: "cat $ABEVAL_EVIDENCE/*" },
  ];
  for (const kind of kinds) {
    expect((await verdictOn({ ...files, task: { probe: asked(kind) } })).flags).not.toContain("check_not_repeatable");
  }
  expect((await verdictOn({ ...files, task: { probe: asked({ run: "true" }) } })).flags).toContain(
    "check_not_repeatable",
  );
  const other = { a: { ...files.a, ...answers.a }, b: { ...files.b, ...answers.b } };
  const task = { probe: asked({ run: "true" }), answer: true as const };
  expect((await verdictOn({ ...other, task })).flags).not.toContain("check_not_repeatable");
});

test("other work is not flagged, though its digest is the same", async () => {
  const { flags, statement } = await verdictOn({ criteria: [measured("wall_ms")] });
  expect([flags.includes("equal_work"), statement.includes("same work")]).toEqual([false, false]);
});

test("where nobody changed anything the answers are the work, unless no model reads them", async () => {
  const arms = { a: { changes: NO_CHANGE, ...answers.a }, b: { changes: NO_CHANGE, ...answers.b } };
  const flagged = async (parts: CaseParts, by?: "words") =>
    (await verdictOn({ ...parts, criteria: style }, by)).flags.includes("equal_work");
  const alike = { a: arms.a, b: { ...arms.b, ...answers.a } };
  expect([await flagged(arms), await flagged(arms, "words"), await flagged(alike, "words")]).toEqual([
    true,
    false,
    true,
  ]);
});

test("a broken rule decides over equal work, with low confidence: nothing of it shows in the work", async () => {
  const violations = [{ rule: "denied_command", severity: "disqualify" as const, subject: "git push", blocked: false }];
  const verdict = await verdictOn({ a: { ...SAME, violations }, b: SAME });
  expect(verdict).toMatchObject({ winner: "tdd", decided_by: "gate", confidence: "low" });
  expect(verdict.statement).toContain("both arms left the same work; plain was disqualified");
});

describe("a required check that passed for one of two arms which left the same files", () => {
  const [FAILED, PASSED] = [
    { ...SAME, probe: probe("fail", 10) },
    { ...SAME, probe: probe("pass", 10) },
  ];
  test("decides nothing, is in no figure, and is told", async () => {
    const verdict = await verdictOn({ a: FAILED, b: PASSED, criteria: [measured("probe_score")] });
    expect(verdict).toMatchObject({ outcome: "tie", winner: null, confidence: "none" });
    expect(verdict.flags).toEqual(expect.arrayContaining(["equal_work", "check_not_repeatable"]));
    expect(verdict.facts.a.probe?.checks.map(({ id }) => id)).not.toContain("last-page");
    expect(verdict.scope).toContain(
      "check last-page is not repeatable and counts for neither arm: on equal work it gave fail for plain, and pass for tdd;",
    );
  });

  test("decides nothing either between sessions of which one has left it out before", async () => {
    const { not_repeatable, ...rest } = probe("fail", 10);
    const checks = rest.checks.filter(({ required }) => !required);
    const flaky = rest.checks.filter(({ required }) => required);
    const left: Partial<ArmSummary> = { probe: { ...rest, checks, not_repeatable: flaky } };
    const verdict = await verdictOn({ a: { probe: probe("fail", 10) }, b: left });
    expect([not_repeatable, verdict.decided_by, verdict.winner]).toEqual([undefined, "none", null]);
    expect(verdict.flags).toContain("check_not_repeatable");
  });

  test("decides where two sessions had other checks, with low confidence", async () => {
    const verdict = await verdictOn({ a: FAILED, b: PASSED, kase: { flags: ["scenario_drift"] } });
    expect(verdict).toMatchObject({ winner: "tdd", decided_by: "probe", confidence: "low" });
  });

  test("that is the only one leaves nothing that ran", async () => {
    const only = (status: "pass" | "fail") => {
      const result = probe(status, 10);
      return { ...SAME, probe: { ...result, checks: result.checks.slice(0, 1), total: 1 } };
    };
    const verdict = await verdictOn({ a: only("fail"), b: only("pass"), criteria: [measured("probe_score")] });
    expect(verdict.facts.a.probe).toBeNull();
    expect(verdict.scope).toStartWith("No hidden check ran on both arms; check last-page is not repeatable");
    expect(verdict.flags).toContain("no_objective_check");
    expect(verdict.criteria[0]).toMatchObject({
      supported: false,
      note: "probe_score: unknown against unknown; not known for both",
    });
  });
});

test("coins and clocks alone never make more than low, whoever judges", async () => {
  const found = new Map<string, number>();
  for (let seed = 0; seed < 200; seed += 1) {
    const chance = chanceOf(seed);
    const arm = (word: string) => ({
      ...{
        ...SAME,
        final_answer: word,
        wall_ms: 1 + Math.floor(chance() * 1_000),
        turns: 1 + Math.floor(chance() * 9),
      },
      probe: probe(chance() < 0.5 ? "pass" : "fail", Math.floor(chance() * 11)),
    });
    const criteria = [measured("wall_ms"), measured("turns"), measured("probe_score"), ...style];
    const parts = { a: arm("first"), b: arm("second"), criteria };
    const { confidence, flags } = await verdictOn(parts, seed % 20 === 0 ? "words" : "nobody");
    expect(flags).toContain("equal_work");
    found.set(confidence, (found.get(confidence) ?? 0) + 1);
  }
  expect([...found.keys()].toSorted()).toEqual(["low", "none"]);
});

test.each<[Measure, Partial<ArmSummary>, Partial<ArmSummary>]>([
  ["wall_ms", { wall_ms: 100 }, { wall_ms: 1_000 }],
  ["tokens", { tokens_in: 1, tokens_out: 1 }, { tokens_in: 90, tokens_out: 9 }],
  ["turns", { turns: 1 }, { turns: 9 }],
  ["tool_calls", { tool_calls: 1 }, { tool_calls: 9 }],
  ["cost_usd", { cost_usd: 0.1 }, { cost_usd: 1 }],
])("%s alone is never high, nor does it lift anything else to it", async (name, a, b) => {
  const level = async (...criteria: Criterion[]) => (await verdictOn({ a, b, criteria })).confidence;
  const reference = (score: number) => ({ reference_fix: { score } as ArmSummary["reference_fix"] });
  const near = async (one: number, other: number) =>
    (
      await verdictOn({
        ...{ a: { ...a, ...reference(one) }, b: { ...b, ...reference(other) } },
        criteria: [measured(name), measured("reference_fix")],
      })
    ).confidence;
  expect([await level(measured(name)), await near(0.8, 0.6), await near(0.2, 0.1), await near(1, 0.5)]).toEqual([
    "medium",
    "medium",
    "medium",
    "high",
  ]);
});

test("the judge is told that an agent crashed", async () => {
  const model = scoringJudge(() => ({ style: 2 }));
  const agent = {
    recipe: "codex",
    install: "codex-1",
    version: "1",
    digest: null,
    exit_code: 101,
    stdout: "",
    stderr: "",
  };
  const judge = openJudge({ model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() });
  await judge(buildCase({ criteria: style, a: { agent } }), new AbortController().signal);
  const [text = ""] = model.requests.map((request) => JSON.stringify(request.messages));
  expect([text.includes("- end: crashed; judged on what exists"), text.includes("- end: finished by itself")]).toEqual([
    true,
    true,
  ]);
});
