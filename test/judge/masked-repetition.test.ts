import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  compareWithMasked,
  type Hearing,
  type HearingsOutcome,
  mergeOrders,
  NOISE,
} from "../../src/comparison/judge/asking/masked-repetition.ts";
import { labelOf } from "../../src/comparison/judge/verdict/score-table.ts";
import type { Side } from "../../src/domain/verdict.ts";

const gap = fc.integer({ min: -20, max: 20 }).map((twentieths) => twentieths / 20);
const anyHearing = fc.tuple(gap, gap).map(
  ([ab, ba]): Hearing => ({
    merged: mergeOrders(labelOf(ab, 0.05), labelOf(ba, 0.05)),
    gaps: [ab, ba],
  }),
);
const suspects = fc.subarray<Side>(["a", "b"]).map((sides) => new Set(sides));

/** How well arm b comes off: 2 for a win to -2 for a loss. */
function forB({ winner_side, lean_side }: Pick<HearingsOutcome, "winner_side" | "lean_side">): number {
  if (winner_side) return winner_side === "b" ? 2 : -2;
  return lean_side === null ? 0 : lean_side === "b" ? 1 : -1;
}

/** Arm b can move the first hearing as it likes; the second holds none of its words. */
test("whatever a planter does to the first hearing, it wins only what the second gives it, or what is within noise", () => {
  fc.assert(
    fc.property(anyHearing, anyHearing, suspects, (first, second, suspected) => {
      const result = compareWithMasked(first, second, suspected);
      if (result.winner_side !== "b") return;
      const fall = [0, 1].reduce(
        (sum, order) => sum + ((second.gaps?.[order] ?? 0) - (first.gaps?.[order] ?? 0)) / 2,
        0,
      );
      const spread = Math.abs(
        (first.gaps?.[0] ?? 0) - (second.gaps?.[0] ?? 0) - (first.gaps?.[1] ?? 0) + (second.gaps?.[1] ?? 0),
      );
      if (second.merged.winner_side !== "b") expect(fall).toBeLessThanOrEqual(Math.max(NOISE, spread) + 1e-9);
    }),
    { numRuns: 2_000 },
  );
});

test("suspicion never helps the suspected arm: it comes off no better than in the first hearing, and than unsuspected", () => {
  fc.assert(
    fc.property(anyHearing, anyHearing, (first, second) => {
      const result = forB(compareWithMasked(first, second, new Set(["b"])));
      expect(result).toBeLessThanOrEqual(forB(compareWithMasked(first, second, new Set())));
      if (first.merged.winner_side !== "a") expect(result).toBeLessThanOrEqual(forB(first.merged));
    }),
    { numRuns: 2_000 },
  );
});

test("what a suspected arm took from the other comes back as the other's lean", () => {
  fc.assert(
    fc.property(anyHearing, anyHearing, (first, second) => {
      const result = forB(compareWithMasked(first, second, new Set(["b"])));
      if (forB(second.merged) < forB(first.merged))
        expect(result).toBeLessThanOrEqual(Math.max(forB(second.merged), -1));
      if (forB(second.merged) < 0 && forB(first.merged) >= 0) expect(result).toBe(-1);
    }),
    { numRuns: 2_000 },
  );
});

test("suspecting the loser changes nothing for the winner", () => {
  fc.assert(
    fc.property(anyHearing, anyHearing, (first, second) => {
      fc.pre(first.merged.winner_side === "a");
      expect(compareWithMasked(first, second, new Set<Side>(["b"])).winner_side).toEqual(
        compareWithMasked(first, second, new Set<Side>()).winner_side,
      );
    }),
    { numRuns: 2_000 },
  );
});

const hearing = (ab: number, ba: number, margin = 0.05): Hearing => ({
  merged: mergeOrders(labelOf(ab, margin), labelOf(ba, margin)),
  gaps: [ab, ba],
});
const open = (lean_side: Side | null) => ({
  outcome: "inconclusive" as const,
  winner_side: null,
  lean_side,
  second: "overturns" as const,
});

test("a lean that the masked repetition only strengthens is not overturned", () => {
  const lean = { outcome: "inconclusive", winner_side: null, lean_side: "a", second: "none" } as const;
  expect(compareWithMasked(hearing(0.4, 0), hearing(0.4, 0.4), new Set<Side>(["b"]))).toEqual(lean);
});

test("a suspected arm gets no lean from the masked repetition that it did not have in the first", () => {
  const [won, lost] = [hearing(0.9, 0.9), hearing(-0.5, -0.5)];
  expect(compareWithMasked(won, lost, new Set<Side>(["b"]))).toEqual(open(null));
  expect(compareWithMasked(won, lost, new Set<Side>())).toEqual(open("b"));
});

test("a masked repetition that supports no criterion confirms nothing", () => {
  const nothing: Hearing = { merged: { ...hearing(0, 0).merged, outcome: "inconclusive" }, gaps: null };
  expect(compareWithMasked(hearing(0.9, 0.9), nothing, new Set<Side>())).toEqual(open(null));
});

test("a gap that falls in one order alone has not moved: the orders disagree by more than the fall", () => {
  const compared = compareWithMasked(hearing(0.5, 0.5), hearing(0, 0.5), new Set<Side>());
  expect(compared).toEqual({ outcome: "winner", winner_side: "a", lean_side: null, second: "unconfirmed" });
});

test("a gap that falls by exactly the noise has not moved", () => {
  const weighed = compareWithMasked(hearing(0.4, 0.4), hearing(0.25, 0.25, 0.3), new Set<Side>());
  expect(weighed).toEqual({ outcome: "winner", winner_side: "a", lean_side: null, second: "unconfirmed" });
});
