import { expect, test } from "bun:test";
import { factsOf } from "../../src/comparison/judge/facts.ts";
import { pendingArm } from "../../src/comparison/session/stored-arm.ts";
import type { Arm } from "../../src/domain/arm.ts";
import type { Decision } from "../../src/domain/decision.ts";
import type { Facts } from "../../src/domain/evidence.ts";
import type { ExternalAgent } from "../../src/domain/external-agent.ts";
import type { ArmSummary } from "../../src/domain/session.ts";
import { timeAxis } from "../../src/domain/timeline.ts";
import { duration, signed, tokens, usd } from "../../src/doors/web/format.ts";
import { remainingOf } from "../../src/doors/web/live/budgets.ts";
import { armDifferences } from "../../src/doors/web/scenarios/differences.ts";
import { differenceOf, type Established, FACTS } from "../../src/doors/web/verdict/facts.ts";
import { anArm, anOutcome, aScenario, aTurn } from "../outcomes.ts";

test("numbers have their unit, and an unknown one says so", () => {
  expect([999, 1_500, 60_000, 119_800, null].map(duration)).toEqual(["999 ms", "1.5 s", "1 min", "2 min", "unknown"]);
  expect([0, 1, 12_345, null].map(tokens)).toEqual(["0 tokens", "1 token", "12,345 tokens", "unknown"]);
  expect([0, 0.000_01, 0.0042, 1.239, null].map(usd)).toEqual(["$0", "<$0.0001", "$0.0042", "$1.24", "unknown"]);
  expect([0.5, -0.25, 0].map(signed)).toEqual(["+0.50", "−0.25", "±0.00"]);
});

const fact = (name: string) => {
  const found = FACTS.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no fact ${name}`);
  return found;
};

/** An arm of which only one figure matters. */
function established(arm: Partial<ArmSummary>, changes: Partial<Facts> = {}): Established {
  const summary = { ...pendingArm(anArm("x")), ...arm };
  return { arm: summary, facts: { ...factsOf(summary, aScenario().policies), ...changes } };
}

const costs = (cost_usd: number | null) => established({ cost_usd });
const checks = (passed: number) => established({}, { probe: { score: passed / 4, passed, total: 4, checks: [] } });

/** As in `b 50% less, better`; null where nothing is shown. */
function told(name: string, a: Established, b: Established): string | null {
  const difference = differenceOf(fact(name), { a, b });
  return difference && `${difference.side} ${difference.text}${difference.isBetter ? ", better" : ""}`;
}

test("the better arm is named with how far it is ahead, and neither where a figure is unknown or equal", () => {
  expect([told("Cost", costs(1), costs(2)), told("Cost", costs(2), costs(1))]).toEqual([
    "a 50% less, better",
    "b 50% less, better",
  ]);
  expect(told("Hidden checks passed", checks(3), checks(2))).toBe("a 1 check more, better");
  expect(told("Hidden checks passed", checks(1), checks(0))).toBe("a 1 check more, better");
  expect([told("Cost", costs(null), costs(2)), told("Cost", costs(1), costs(1))]).toEqual([null, null]);
});

test("where neither way is better, the arm with more is named, and it is not called better", () => {
  const changed = (added: number) => established({}, { changed_files: 1, added, removed: 0 });
  expect(told("Changed", changed(1), changed(2))).toBe("b 100% more");
  expect(told("Cost", costs(0), costs(2))).toBe("b more");
  const out = established({ turns: 1 }, { disqualified: true });
  expect(told("Turns", out, established({ turns: 2 }))).toBe("b 100% more");
});

test("no difference is shown where it means nothing", () => {
  const took = (working_ms: number) => established({ working_ms });
  expect([told("Working time", took(0), took(1)), told("Working time", took(1_200), took(2_100))]).toEqual([
    null,
    null,
  ]);
  expect(told("Working time", took(1_000), took(4_000))).toBe("a 75% less, better");
  const broken = { rule: "a", subject: "a", severity: "warn", blocked: false } as const;
  expect(told("Rules broken", established({}), established({ violations: [broken] }))).toBeNull();
});

test("a disqualified arm has its reason in words, and a rule that is a path is named once", () => {
  const violations = [{ rule: "rules.txt", subject: "rules.txt", severity: "disqualify", blocked: false }] as const;
  const out = established({ status: "disqualified", stop_reason: "policy:rules.txt", violations: [...violations] });
  expect(fact("Ended").text(out)).toBe("disqualified: it changed the protected file rules.txt");
  expect(fact("Rules broken").text(out)).toBe("it changed the protected file rules.txt; disqualified");
});

test("the limit that ended an arm is named in words", () => {
  const outcome = anOutcome("session-sample-20260102T030405678Z");
  const endOf = (name: "cost_usd" | "turns" | "seconds" | "disk", limit: number | null) => {
    const budget = name === "disk" ? [] : [{ budget: name, used: 0, limit }];
    const arm = { ...outcome.arms[0], status: "limit_reached" as const, stop_reason: `budget:${name}`, budget };
    return fact("Ended").text({ arm, facts: {} as never });
  };
  expect([endOf("cost_usd", 0.004826), endOf("turns", 40), endOf("seconds", 600), endOf("disk", null)]).toEqual([
    "limit reached (cost, $0.0048)",
    "limit reached (turns, 40)",
    "limit reached (time, 600 s)",
    "limit reached (disk)",
  ]);
});

test("the differences between two arms are listed, but for scripts and their names", () => {
  const [left, right] = [
    anArm("left", { model: "scripted/one" }),
    anArm("right", { model: "scripted/two", script: [] }),
  ];
  const prompts = { system_prompt: "Be careful.\n" };
  const scenario = aScenario({
    arms: [
      { ...left, ...prompts },
      { ...right, ...prompts, tools: ["read_file"] },
    ],
    varies: ["tools"],
  });
  expect(armDifferences(scenario)).toEqual([
    {
      field: "tools",
      declared: true,
      a: "edit_file, list_files, read_file, run_command, search_files, write_file",
      b: "read_file",
    },
  ]);
});

test("beside an external agent the settings of our own loop are no difference", () => {
  const agent: ExternalAgent = {
    ...{ use: "codex", command: null, install: "codex-1", args: ["--fast"], files: null, env: { A: "1" } },
    ...{ wires: ["responses"], tools: {}, side_model: "keep" },
  };
  const [left, right] = [anArm("left", { agent, tools: [] }), anArm("right", { system_prompt: "Be careful." })];
  expect(armDifferences(aScenario({ arms: [left, right], varies: ["agent"] }))).toEqual([
    {
      ...{ field: "agent", declared: true, b: "abeval's own loop" },
      a: "codex of codex-1\n--fast\nA=1\nasks by responses",
    },
  ]);
});

test("a program of somebody's own is named, and beside one nothing of a model is a difference", () => {
  const endpoint = { url: "http://127.0.0.1:9000/a", version: "2" };
  const left = anArm("left", { model: "endpoint/left", endpoint, tools: [], system_prompt: "" });
  const right = anArm("right", { model: "program/right", program: { run: ["python3", "a.py"] } });
  const told = (arms: [Arm, Arm]) => armDifferences(aScenario({ arms, varies: ["endpoint"] }));
  expect(told([left, right])).toEqual([
    { field: "endpoint", declared: true, a: "http://127.0.0.1:9000/a, version 2", b: "none" },
    { field: "program", declared: false, a: "none", b: "python3 a.py" },
  ]);
  expect(told([left, anArm("model")]).map(({ field }) => field)).toEqual(["endpoint"]);
});

test("both arms share one axis of time, which begins with the first step of either", () => {
  const at = (seq: number, second: number, latency_ms: number): Decision =>
    aTurn(seq, { at: `2026-01-02T03:04:0${second}.000Z`, latency_ms });
  const { steps, span_ms } = timeAxis({
    a: [at(1, 3, 1_000)],
    b: [at(1, 5, 500), { ...at(2, 0, 0), at: undefined } as never],
  });
  expect(steps.map(({ side, start_ms, end_ms }) => [side, start_ms, end_ms])).toEqual([
    ["a", 0, 1_000],
    ["b", 2_500, 3_000],
    ["b", 3_000, 3_000],
  ]);
  expect(span_ms).toBe(3_000);
});

test("a running arm's budgets follow from its decisions; those of an arm that ended are its own figures", () => {
  const scenario = aScenario({ arms: [anArm("left", { limits: { max_turns: 4 } }), anArm("right")] });
  const session = anOutcome("session-sample-20260102T030405678Z", { definition: scenario });
  const running = remainingOf(session, 0, [aTurn(1), aTurn(2)], 60_000);
  expect(running.map(({ name, share, text }) => [name, share, text])).toEqual([
    ["Turns", 0.5, "2 of 4 left"],
    ["Tokens", 0.99997, "999,970 of 1,000,000 left"],
    ["Time", 0.9, "9 min of 10 min left"],
    ["Tool calls", 1, "120 of 120 left"],
  ]);
  const [left, right] = session.arms;
  const budget = [
    { budget: "cost_usd" as const, used: 0.4, limit: 0.5 },
    { budget: "tokens" as const, used: null, limit: 9 },
  ];
  const ended = remainingOf({ ...session, arms: [{ ...left, budget }, right] }, 0, [], 0);
  expect(ended.map(({ name, text }) => [name, text])).toEqual([["Cost", "$0.10 of $0.50 left"]]);
});
