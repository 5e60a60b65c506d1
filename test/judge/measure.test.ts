import { describe, expect, test } from "bun:test";
import { measure } from "../../src/comparison/judge/verdict/measure.ts";
import type { Measure } from "../../src/domain/rubric.ts";
import type { ArmSummary } from "../../src/domain/session.ts";
import { buildArm, change, NO_CHANGE, probe } from "./build-case.ts";

type Parts = Partial<ArmSummary>;
const scores = (name: Measure, a: Parts, b: Parts, deliverable: readonly string[] = ["**"], answer?: true) => {
  const arms = { a: buildArm("plain", a).summary, b: buildArm("tdd", b).summary };
  const { score_a, score_b, supported } = measure({ id: "m", kind: "measured", measure: name, weight: 1 }, arms, {
    deliverable: [...deliverable],
    ...(answer && { answer }),
  });
  return supported ? [score_a, score_b] : "unsupported";
};

test("higher is better is used as it is", () => {
  expect(scores("probe_score", { probe: probe("pass", 7) }, { probe: probe("pass", 2) })).toEqual([0.7, 0.2]);
});

describe("lower is better", () => {
  test("scores the smaller over the own", () => expect(scores("turns", { turns: 2 }, { turns: 8 })).toEqual([1, 0.25]));
  test("both zero is 1 for both", () =>
    expect(scores("tool_calls", { tool_calls: 0 }, { tool_calls: 0 })).toEqual([1, 1]));
  test("an own zero scores 1, the other 0", () =>
    expect(scores("tool_calls", { tool_calls: 0 }, { tool_calls: 5 })).toEqual([1, 0]));
  test("counts input and output tokens", () => {
    expect(scores("tokens", { tokens_in: 10, tokens_out: 10 }, { tokens_in: 30, tokens_out: 10 })).toEqual([1, 0.5]);
  });
  test("an arm that fails a required check scores 0 and sets no bar", () => {
    const cheap = { turns: 1, probe: probe("fail", 9) };
    expect([scores("turns", cheap, { turns: 8 }), scores("turns", { turns: 8 }, cheap)]).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });
  test("an arm that changed nothing of the answer scores 0 and sets no bar", () => {
    expect(scores("wall_ms", { wall_ms: 1, changes: NO_CHANGE }, { wall_ms: 900 })).toEqual([0, 1]);
    expect(scores("turns", { turns: 1, changes: change("x", "notes.md") }, { turns: 8 }, ["src/**"])).toEqual([0, 1]);
  });
  test("changed lines count in deliverable files only", () => {
    const extra = {
      path: "scratch/.tmp/x.ts",
      status: "added",
      added: 500,
      removed: 0,
      binary: false,
      before: null,
      after: null,
    } as const;
    const one = change("x");
    const both = { ...one, files: [...one.files, extra] };
    expect(scores("changed_lines", { changes: both }, { changes: one }, ["src/**"])).toEqual([1, 1]);
    expect(scores("changed_lines", { changes: both }, { changes: one }, ["**"])).toEqual([2 / 502, 1]);
  });
});

test("a measure unknown for either arm counts for neither", () => {
  expect(scores("cost_usd", { cost_usd: null }, { cost_usd: 0.1 })).toBe("unsupported");
  expect(scores("tokens", { tokens_in: 1, tokens_out: null }, {})).toBe("unsupported");
  expect(scores("reference_fix", {}, {})).toBe("unsupported");
  expect(scores("turns", { changes: null }, {})).toBe("unsupported");
  const changes = { ...NO_CHANGE, unknown: "There are more than 100000 files." };
  expect(scores("changed_lines", { changes }, {})).toBe("unsupported");
  expect(scores("turns", {}, { changes })).toBe("unsupported");
});

test("a deliverable that only an earlier version could read gives no figure, and says why", () => {
  const arms = { a: buildArm("plain").summary, b: buildArm("tdd").summary };
  const old = ["src/!(*.test).ts", "src/{1..3}.ts", "**/*.(ts|tsx)", "+(a|b)/x", "[[:digit:]].ts"];
  const read = (glob: string, name: Measure) =>
    measure({ id: "m", kind: "measured", measure: name, weight: 1 }, arms, { deliverable: [glob] });
  expect(old.map((glob) => read(glob, "turns").note)).toEqual(
    old.map(
      (glob) =>
        `turns: deliverable "${glob}" uses a pattern that is not supported; there are *, **, ?, [a-z] and {a,b}`,
    ),
  );
  expect(old.filter((glob) => read(glob, "changed_lines").supported)).toEqual([]);
  expect(old.filter((glob) => !read(glob, "probe_score").supported)).toEqual([]);
});

test("where the answer is the work, an arm that gave one did the work, whatever it changed", () => {
  const of = (a: Parts, b: Parts, name: Measure = "tokens") => scores(name, a, b, [], true);
  const [brief, long] = [
    { tokens_in: 10, tokens_out: 10, final_answer: "Yes.", changes: NO_CHANGE },
    { tokens_in: 30, tokens_out: 10, final_answer: "Yes, for two reasons.", changes: NO_CHANGE },
  ];
  expect(of(brief, long)).toEqual([1, 0.5]);
  expect(of(brief, long, "answer_words")).toEqual([1, 0.25]);
  expect(of({ ...brief, final_answer: null }, long)).toEqual([0, 1]);
  expect(of({ ...brief, final_answer: " \n" }, long, "answer_words")).toEqual([0, 1]);
  expect(of({ ...brief, probe: probe("fail", 0) }, long)).toEqual([0, 1]);
});

test("the note has no more digits than a reader needs, and loses none of a whole number", () => {
  const noted = (name: Measure, a: Parts, b: Parts) =>
    measure(
      { id: "m", kind: "measured", measure: name, weight: 1 },
      { a: buildArm("plain", a).summary, b: buildArm("tdd", b).summary },
      { deliverable: ["**"] },
    ).note;
  expect(noted("cost_usd", { cost_usd: 0.001_234_567 }, { cost_usd: 2 / 3 })).toBe("cost_usd: 0.001235 against 0.6667");
  expect(noted("wall_ms", { wall_ms: 38_214.4 }, { wall_ms: 38_216 })).toBe("wall_ms: 38214 against 38216");
});
