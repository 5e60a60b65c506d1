import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { claimedSide, equivalenceAt } from "../../src/statistics/claim/conclusion.ts";
import { type Counts, logEvidence, wagersAgainst } from "../../src/statistics/claim/e-process.ts";
import { winRateRange } from "../../src/statistics/claim/interval.ts";
import { exactly } from "./exact.ts";

const LEVELS = { alpha: 0.05, margin: 0.15 };
const CERTAIN = { undecided: 0, missing: 0 };
const isEquivalent = equivalenceAt(LEVELS);

const COUNTS: fc.Arbitrary<Counts> = fc.record({
  wins: fc.integer({ min: 0, max: 60 }),
  ties: fc.integer({ min: 0, max: 60 }),
  losses: fc.integer({ min: 0, max: 60 }),
});

const mirrored = ({ wins, ties, losses }: Counts): Counts => ({ wins: losses, ties, losses: wins });

describe("the evidence", () => {
  test("changes sides when the arms do", () => {
    fc.assert(
      fc.property(COUNTS, fc.double({ min: -0.9, max: 0.9, noNaN: true }), (counts, mean) => {
        const [seen, other] = [
          logEvidence(counts, wagersAgainst(mean)),
          logEvidence(mirrored(counts), wagersAgainst(-mean)),
        ];
        expect(other.a).toBeCloseTo(seen.b, 9);
        expect(other.both).toBeCloseTo(seen.both, 9);
      }),
    );
  });

  test("against no preference is not moved by trials without a winner", () => {
    fc.assert(
      fc.property(COUNTS, (counts) => {
        expect(logEvidence(counts).both).toBeCloseTo(logEvidence({ ...counts, ties: 0 }).both, 12);
      }),
    );
  });

  test("of no trial is 1, and one trial of either outcome gives 1 in the mean", () => {
    expect(Math.exp(logEvidence({ wins: 0, ties: 0, losses: 0 }).both)).toBeCloseTo(1, 12);
    const after = (wins: number, losses: number) => Math.exp(logEvidence({ wins, ties: 0, losses }).a);
    expect((after(1, 0) + after(0, 1)) / 2).toBeCloseTo(1, 12);
  });

  test.each([0.3, 0.6])("is fair at any mean: betting on it gains nothing when the mean is %p", (mean) => {
    const win = (1 + mean) / 2;
    const after = (wins: number, losses: number) =>
      Math.exp(logEvidence({ wins, ties: 0, losses }, wagersAgainst(mean)).both);
    expect(win * after(1, 0) + (1 - win) * after(0, 1)).toBeCloseTo(1, 12);
  });
});

describe("a claim", () => {
  test.each([
    [0.05, ["9-0", "11-1", "13-2", "15-3", "17-4", "19-5", "21-6", "23-7", "25-8", "27-9", "29-10", "30-11", "32-12"]],
    [0.1, ["7-0", "9-1", "11-2"]],
    [0.01, ["12-0", "14-1", "16-2"]],
  ])("at alpha %p takes so many wins for each number of losses", (alpha, expected) => {
    const borders = expected.map((_, losses) => {
      let wins = losses;
      while (claimedSide({ wins, ties: 0, losses }, { alpha }) !== "a") wins += 1;
      return `${wins}-${losses}`;
    });
    expect(borders).toEqual(expected);
  });

  test("is for the side that is ahead", () => {
    fc.assert(
      fc.property(COUNTS, (counts) => {
        const side = claimedSide(counts, LEVELS);
        if (side !== undefined) expect(side).toBe(counts.wins > counts.losses ? "a" : "b");
      }),
    );
  });

  // Share of series on equal arms that ever claim; then for each rate of wins the share that claims a, and the mean number
  // of trials. Exact, without ties; rounded as published with the protocol.
  test.each([
    [
      20,
      0.0153,
      [
        [0.6, 0.049, 19.7],
        [0.7, 0.201, 18.7],
        [0.8, 0.542, 16.4],
        [0.9, 0.914, 12.5],
      ],
    ],
    [
      30,
      0.0222,
      [
        [0.6, 0.086, 29],
        [0.7, 0.37, 25.9],
        [0.8, 0.813, 19.5],
        [0.9, 0.995, 12.8],
      ],
    ],
    [
      50,
      0.0264,
      [
        [0.6, 0.131, 46.9],
        [0.7, 0.574, 36.6],
        [0.8, 0.962, 21.6],
        [0.9, 1, 12.9],
      ],
    ],
    [
      100,
      0.0292,
      [
        [0.6, 0.218, 88.3],
        [0.7, 0.865, 50.2],
        [0.8, 1, 22.1],
        [0.9, 1, 12.9],
      ],
    ],
  ] as const)("in at most %p trials is made as often as the exact table says", (length, any, rows) => {
    const equal = exactly(length, 0.5);
    expect(Math.abs(equal.a + equal.b - any)).toBeLessThan(1e-3);
    expect(equal.a).toBeCloseTo(equal.b, 12);
    for (const [win, power, trials] of rows) {
      const series = exactly(length, win);
      expect(Math.abs(series.a - power)).toBeLessThan(0.0051);
      expect(Math.abs(series.trials - trials)).toBeLessThan(0.051);
    }
  });

  test.each([
    [20, 0.0095, 0.332, 18.5],
    [30, 0.0167, 0.598, 23.9],
    [50, 0.0233, 0.856, 29],
    [100, 0.0278, 0.992, 31.5],
  ])(
    "in at most %p trials of which 30% have no winner is made as often as the exact table says",
    (length, any, power, trials) => {
      const equal = exactly(length, 0.5, 0.3);
      expect(Math.abs(equal.a + equal.b - any)).toBeLessThan(1e-3);
      const better = exactly(length, 0.8, 0.3);
      expect(Math.abs(better.a - power)).toBeLessThan(0.0051);
      expect(Math.abs(better.trials - trials)).toBeLessThan(0.051);
    },
  );
});

describe("the range of the win rate", () => {
  test("of no trial is everything", () => {
    expect(winRateRange({ wins: 0, ties: 0, losses: 0 }, 0.05)).toEqual({ low: 0, high: 1 });
  });

  test("holds the sample's rate, lies within 0 and 1, and is mirrored when the arms change sides", () => {
    fc.assert(
      fc.property(COUNTS, (counts) => {
        const { wins, ties, losses } = counts;
        const trials = wins + ties + losses;
        if (trials === 0) return;
        const { low, high } = winRateRange(counts, 0.05);
        const rate = (wins + ties / 2) / trials;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(rate + 1e-12);
        expect(high).toBeGreaterThanOrEqual(rate - 1e-12);
        const other = winRateRange(mirrored(counts), 0.05);
        expect(other.low).toBeCloseTo(1 - high, 9);
      }),
    );
  });

  test("leaves one half out exactly when there is a claim", () => {
    fc.assert(
      fc.property(COUNTS, (counts) => {
        const { low, high } = winRateRange(counts, 0.05);
        const leavesOut = low > 0.5 || high < 0.5;
        expect(leavesOut).toBe(claimedSide(counts, LEVELS) !== undefined);
      }),
    );
  });
});

describe("equivalence", () => {
  const ties = (count: number) => ({ wins: 0, ties: count, losses: 0 });

  test("takes 17 trials in a row without a winner, whose range is 0.351 to 0.649", () => {
    expect(isEquivalent(ties(16), CERTAIN)).toBe(false);
    expect(isEquivalent(ties(17), CERTAIN)).toBe(true);
    const { low, high } = winRateRange(ties(17), 0.05);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(["0.351", "0.649"]);
  });

  test("takes 134 trials that are split evenly, and about 84 when 30% have no winner", () => {
    const split = (wins: number, without: number) => ({ wins, ties: without, losses: wins });
    expect(isEquivalent(split(66, 0), CERTAIN)).toBe(false);
    expect(isEquivalent(split(67, 0), CERTAIN)).toBe(true);
    expect(isEquivalent(split(29, 26), CERTAIN)).toBe(true);
    expect(isEquivalent(split(26, 22), CERTAIN)).toBe(false);
  });

  test("is not shown by trials of which nothing is known", () => {
    expect(isEquivalent(ties(17), { undecided: 17, missing: 0 })).toBe(false);
    expect(isEquivalent(ties(17), { undecided: 0, missing: 6 })).toBe(false);
  });

  test("is not shown where the undecided trials could be enough for either arm", () => {
    const behind = { wins: 60, ties: 60, losses: 75 };
    for (const counts of [behind, mirrored(behind)]) {
      expect(isEquivalent(counts, CERTAIN)).toBe(true);
      expect(isEquivalent(counts, { undecided: 10, missing: 0 })).toBe(false);
    }
  });

  test("is what the range says", () => {
    fc.assert(
      fc.property(COUNTS, (counts) => {
        const { low, high } = winRateRange(counts, 0.05);
        const inside = low > 0.35 && high < 0.65;
        // At the border itself the search may stop on either side.
        if (Math.min(Math.abs(low - 0.35), Math.abs(high - 0.65)) < 1e-9) return;
        expect(isEquivalent(counts, CERTAIN)).toBe(inside);
      }),
    );
  });
});
