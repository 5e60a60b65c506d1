import { expect, test } from "bun:test";
import type { Flag } from "../../src/domain/verdict.ts";
import { confidenceOf } from "../../src/judge/confidence.ts";
import { gatesOf } from "../../src/judge/gates.ts";
import { type Basis, decide } from "../../src/judge/score.ts";

const graded = (a: number, b: number) => {
  const facts = (score: number) => ({ disqualified: false, required_checks: null, probe: { score } });
  return gatesOf(facts(a), facts(b));
};

/** Confidence in a winner whose mean scores over 0..4 are these, with graded checks `a` and `b`. */
function confidence(scores: readonly [number, number], flags: readonly Flag[] = [], gates = graded(1, 1)) {
  const call = (order: "ab" | "ba") => ({
    order,
    masked: false,
    valid: true,
    scores: [{ id: "x", score_a: scores[0], score_b: scores[1], supported: true }],
  });
  const basis: Basis = { calls: [call("ab"), call("ba")], measured: [], gates, tie_margin: 0 };
  return confidenceOf(decide(basis, new Map([["x", 1]])), basis, flags);
}

test("a firm winner without contradiction is high", () => expect(confidence([4, 1])).toBe("high"));
test("checks that lean the other way make it medium", () =>
  expect(confidence([4, 1], [], graded(0.8, 1))).toBe("medium"));
test("no hidden checks make it medium at most", () =>
  expect(confidence([4, 1], ["no_objective_check"])).toBe("medium"));
test("no winner, no confidence", () => expect(confidence([2, 2])).toBe("none"));
for (const flag of [
  "truncated_core",
  "injection_suspected",
  "self_family",
  "scenario_drift",
  "citations_dropped",
] as const)
  test(`the flag ${flag} makes it low`, () => expect(confidence([4, 1], [flag])).toBe("low"));
for (const flag of ["truncated", "single_trial", "identity_redacted", "no_contrast"] as const)
  test(`the flag ${flag} only informs`, () => expect(confidence([4, 1], [flag])).toBe("high"));

test("a gate is high, also against a doubtful view; drift makes it low", () => {
  const gate = graded(1, 0.2);
  expect([
    confidence([2, 2], ["truncated_core"], gate),
    confidence([2, 2], ["scenario_drift"], gate),
    confidence([0, 4], [], gate),
  ]).toEqual(["high", "low", "medium"]);
});
