import { expect, test } from "bun:test";
import { type Basis, decide } from "../../src/comparison/judge/decide.ts";
import { gatesOf } from "../../src/comparison/judge/facts.ts";
import { confidenceOf } from "../../src/comparison/judge/verdict/confidence.ts";
import type { Flag } from "../../src/domain/verdict.ts";

const graded = (a: number, b: number) => {
  const facts = (score: number) => ({ disqualified: false, required_checks: null, probe: { score } });
  return gatesOf(facts(a), facts(b));
};

/** Confidence in a winner whose mean scores over 0..4 are these, with graded checks `a` and `b`. */
function confidence(
  scores: readonly [number, number],
  flags: readonly Flag[] = [],
  gates = graded(1, 1),
  parts: Partial<Basis> = {},
) {
  const call = (order: "ab" | "ba", masked = false) => ({
    order,
    masked,
    valid: true,
    scores: [{ id: "x", score_a: scores[0], score_b: scores[1], supported: true }],
  });
  const calls = [call("ab"), call("ba"), call("ab", true), call("ba", true)];
  const basis: Basis = { calls, measured: [], gates, tie_margin: 0, suspects: new Set(), ...parts };
  return confidenceOf(decide(basis, new Map([["x", 1]])), basis, flags);
}

test("a firm winner without contradiction is high", () => expect(confidence([4, 1])).toBe("high"));
test("checks that lean the other way make it medium", () =>
  expect(confidence([4, 1], [], graded(0.8, 1))).toBe("medium"));
test("no hidden checks make it medium at most", () =>
  expect(confidence([4, 1], ["no_objective_check"])).toBe("medium"));
test("nor does a winner by words alone reach more", () => expect(confidence([4, 1], ["prose_only"])).toBe("medium"));
test("a gap of exactly 0.3 in every order is firm, a smaller one is not", () => {
  const scores = (gap: number) =>
    confidence([0, 0], [], graded(1, 1), {
      calls: [],
      measured: [{ id: "x", score_a: 0.35 + gap, score_b: 0.35, supported: true }],
    });
  expect([scores(0.3), scores(0.29), scores(0.04)]).toEqual(["high", "medium", "low"]);
});
test("a suspected winner that a masked repetition confirms is medium at most; a suspected loser takes nothing from it", () => {
  const suspected = (...sides: ("a" | "b")[]) =>
    confidence([4, 1], ["injection_suspected"], graded(1, 1), { suspects: new Set(sides) });
  expect([suspected("a"), suspected("b"), suspected("a", "b")]).toEqual(["medium", "high", "medium"]);
});
test("no winner, no confidence", () => expect(confidence([2, 2])).toBe("none"));
for (const flag of [
  "truncated_core",
  "self_family",
  "judge_failed_self_test",
  "scenario_drift",
  "score_preference_conflict",
  "unconfirmed",
  "cost_limit_reached",
  "citations_dropped",
  "no_contrast",
] as const)
  test(`the flag ${flag} makes it low`, () => expect(confidence([4, 1], [flag])).toBe("low"));
for (const flag of ["truncated", "single_trial", "identity_redacted"] as const)
  test(`the flag ${flag} only informs`, () => expect(confidence([4, 1], [flag])).toBe("high"));

test("an arm that a cost limit ended, or whose agent crashed, makes nothing high, whoever decided", () => {
  const facts = (required_checks: "passed" | "failed") => ({ disqualified: false, required_checks, probe: null });
  const gate = gatesOf(facts("passed"), facts("failed"));
  for (const flag of ["arm_cost_limited", "arm_crashed"] as const)
    expect([confidence([4, 1], [flag]), confidence([2, 2], [flag], gate)]).toEqual(["medium", "medium"]);
});

test("required checks and rules are high, also with a doubtful view; drift and equal arms make them low, a contrary judge medium", () => {
  const facts = (required_checks: "passed" | "failed") => ({ disqualified: false, required_checks, probe: null });
  const gate = gatesOf(facts("passed"), facts("failed"));
  expect([
    confidence([2, 2], ["truncated_core"], gate),
    confidence([2, 2], ["scenario_drift"], gate),
    confidence([2, 2], ["no_contrast"], gate),
    confidence([0, 4], [], gate),
  ]).toEqual(["high", "low", "low", "medium"]);
});

test("graded checks alone are medium, with a firm judge on their side high", () => {
  expect([confidence([2, 2], [], graded(1, 0.2)), confidence([4, 1], [], graded(1, 0.2))]).toEqual(["medium", "high"]);
});

test("measures that decide beside a judge who does not name the winner are medium at most", () => {
  const measured = [{ id: "x", score_a: 1, score_b: 0, supported: true }];
  const call = (order: "ab" | "ba") => ({
    ...{ order, masked: false, valid: true },
    scores: [{ id: "y", score_a: 2, score_b: 2, supported: true }],
  });
  const told = (calls: Basis["calls"]) => confidence([0, 0], [], graded(1, 1), { calls, measured });
  expect([told([]), told([call("ab"), call("ba")])]).toEqual(["high", "medium"]);
});
