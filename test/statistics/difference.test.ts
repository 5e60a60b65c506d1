import { expect, test } from "bun:test";
import fc from "fast-check";
import { wilson } from "../../src/domain/binomial.ts";
import type { Counts } from "../../src/statistics/claim/e-process.ts";
import { winRateRange } from "../../src/statistics/claim/interval.ts";
import { solvedDifference, winRateDifference } from "../../src/statistics/difference.ts";

const solved = (some: number, trials: number) => ({
  ...{ solved: some, trials, ...wilson(some, trials) },
  ...{ pass_power: [], pass_power_low: [], pass_power_high: [], pass_at: [] },
});

test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
] as const)(
  "solved in %d of %d against %d of %d: the range is the one that Newcombe printed",
  (ofSecond, second, ofFirst, first, low, high) => {
    const range = solvedDifference(solved(ofFirst, first), solved(ofSecond, second));
    expect([range?.low, range?.high].map((end) => end?.toFixed(4))).toEqual([low.toFixed(4), high.toFixed(4)]);
  },
);

const COUNTS: fc.Arbitrary<Counts> = fc.record({
  wins: fc.nat({ max: 40 }),
  ties: fc.nat({ max: 20 }),
  losses: fc.nat({ max: 40 }),
});

const has = ({ wins, ties, losses }: Counts) => wins + ties + losses > 0;

test("a difference of win rates lies in its range, turns its sign with the order, and is surer with less to be sure of", () => {
  fc.assert(
    fc.property(COUNTS.filter(has), COUNTS.filter(has), (one, other) => {
      const there = winRateDifference(one, other, 0.05);
      const back = winRateDifference(other, one, 0.05);
      const bolder = winRateDifference(one, other, 0.2);
      if (!there || !back || !bolder) throw new Error("both have trials");
      expect(there.low).toBeLessThanOrEqual(there.difference);
      expect(there.high).toBeGreaterThanOrEqual(there.difference);
      expect([there.low, there.difference, there.high]).toEqual([0 - back.high, 0 - back.difference, 0 - back.low]);
      expect(bolder.low).toBeGreaterThanOrEqual(there.low);
      expect(bolder.high).toBeLessThanOrEqual(there.high);
    }),
  );
});

test("its range leaves 0 out exactly when the ranges of both rates at half of alpha do not meet", () => {
  fc.assert(
    fc.property(COUNTS.filter(has), COUNTS.filter(has), (one, other) => {
      const range = winRateDifference(one, other, 0.05);
      const [first, second] = [winRateRange(one, 0.025), winRateRange(other, 0.025)];
      const apart = first.high < second.low || second.high < first.low;
      expect((range?.low ?? 0) > 0 || (range?.high ?? 0) < 0).toBe(apart);
    }),
  );
});

test("nothing is said of a series without a trial", () => {
  const [none, some] = [
    { wins: 0, ties: 0, losses: 0 },
    { wins: 8, ties: 0, losses: 0 },
  ];
  expect([winRateDifference(none, some, 0.05), winRateDifference(some, none, 0.05)]).toEqual([null, null]);
  expect(solvedDifference(solved(1, 2), { ...solved(0, 1), trials: 0 })).toBeNull();
});
