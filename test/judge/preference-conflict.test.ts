import { expect, test } from "bun:test";
import { hasPreferenceConflict } from "../../src/comparison/judge/verdict/confidence.ts";
import type { JudgeCall } from "../../src/domain/verdict.ts";

/** One call whose weighted scores differ by this much, from arm a. */
const atOdds = (preference: JudgeCall["preference"], gap: number) => {
  const call = {
    ...{ order: "ab", masked: false, valid: true, preference },
    scores: [{ id: "x", score_a: 2 + 4 * gap, score_b: 2, supported: true }],
  } as unknown as JudgeCall;
  return hasPreferenceConflict({ calls: [call], tie_margin: 0.05 }, new Map([["x", 1]]));
};

test("a preference contradicts the scores when they name the other arm, not when they name neither", () =>
  expect([-0.1, -0.05, 0, 0.05, 0.1].map((gap) => atOdds("a", gap))).toEqual([true, false, false, false, false]));

test("a preference for neither contradicts a clear gap only", () =>
  expect([0, 0.1, 0.15, -0.15].map((gap) => atOdds("tie", gap))).toEqual([false, false, true, true]));
