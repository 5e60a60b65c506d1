import { expect, test } from "bun:test";
import fc from "fast-check";
import { claimedSide, equivalenceAt } from "../../src/statistics/claim/conclusion.ts";
import type { Counts } from "../../src/statistics/claim/e-process.ts";
import {
  cannotConclude,
  forecast,
  isUnlikely,
  LEAST_CHANCE,
  moreTrials,
  type Standing,
} from "../../src/statistics/claim/forecast.ts";

const LEVELS = { alpha: 0.05, margin: 0.15 };
const CERTAIN = { undecided: 0, missing: 0 };
const isEquivalent = equivalenceAt(LEVELS);

const standing = (wins: number, ties: number, losses: number, left: number): Standing => ({
  counts: { wins, ties, losses },
  uncertain: CERTAIN,
  left,
});

const isConcluded = (counts: Counts) => claimedSide(counts, LEVELS) !== undefined || isEquivalent(counts, CERTAIN);

/** The same by trying every sequential. */
function triedOut({ counts, left }: Standing): number {
  if (isConcluded(counts)) return 1;
  if (left === 0) return 0;
  return (["wins", "ties", "losses"] as const).reduce((sum, kind) => {
    const next = { ...counts, [kind]: counts[kind] + 1 };
    const chance = likelihood(next) / likelihood(counts);
    return sum + chance * triedOut({ counts: next, uncertain: CERTAIN, left: left - 1 });
  }, 0);
}

/** Of trials in one order: half no difference, half Beta(2, 2) on the share of decided trials; Beta(1, 1) on that of ties. */
const likelihood = ({ wins, ties, losses }: Counts) =>
  (0.5 / 2 ** (wins + losses) + (0.5 * beta(wins + 2, losses + 2)) / beta(2, 2)) * beta(ties + 1, wins + losses + 1);

const beta = (one: number, other: number) => (factorial(one - 1) * factorial(other - 1)) / factorial(one + other - 1);

const factorial = (number: number): number => (number < 2 ? 1 : number * factorial(number - 1));

const OPEN: fc.Arbitrary<Standing> = fc
  .record({
    wins: fc.integer({ min: 0, max: 8 }),
    ties: fc.integer({ min: 0, max: 16 }),
    losses: fc.integer({ min: 0, max: 8 }),
    left: fc.integer({ min: 0, max: 7 }),
  })
  .map(({ wins, ties, losses, left }) => standing(wins, ties, losses, left))
  .filter(({ counts }) => !isConcluded(counts));

test("the chance of a conclusion is that of all sequentials together", async () => {
  await fc.assert(
    fc.asyncProperty(OPEN, async (open) => {
      const { chance_of_conclusion, chance_of_claim } = await forecast(open, LEVELS);
      expect(chance_of_conclusion).toBeCloseTo(triedOut(open), 9);
      expect(chance_of_claim).toBeLessThanOrEqual(chance_of_conclusion);
    }),
    { numRuns: 40 },
  );
});

test("what is out of reach has no chance, and what has none is out of reach", async () => {
  await fc.assert(
    fc.asyncProperty(OPEN, async (open) => {
      const { chance_of_conclusion } = await forecast(open, LEVELS);
      expect(cannotConclude(open, LEVELS)).toBe(chance_of_conclusion === 0);
    }),
  );
});

test("a conclusion is unlikely exactly when its chance is too small", async () => {
  const open = fc
    .record({
      wins: fc.integer({ min: 0, max: 14 }),
      ties: fc.integer({ min: 0, max: 14 }),
      losses: fc.integer({ min: 0, max: 14 }),
      left: fc.integer({ min: 0, max: 20 }),
    })
    .map(({ wins, ties, losses, left }) => standing(wins, ties, losses, left))
    .filter(({ counts }) => !isConcluded(counts));
  const seen = new Set<boolean>();
  await fc.assert(
    fc.asyncProperty(open, async (one) => {
      const unlikely = await isUnlikely(one, LEVELS);
      const { wins, ties, losses } = one.counts;
      expect(unlikely).toBe(
        wins + ties + losses >= 8 && (await forecast(one, LEVELS)).chance_of_conclusion < LEAST_CHANCE,
      );
      seen.add(unlikely);
    }),
  );
  expect(seen.size).toBe(2);
});

test("a series that goes on as it began is likely to end in a claim, one on equal arms is not", async () => {
  const ahead = await forecast(standing(8, 0, 0, 20), LEVELS);
  expect(ahead.chance_of_claim).toBeGreaterThan(0.9);
  const equal = await forecast(standing(8, 0, 8, 14), LEVELS);
  expect(equal.chance_of_claim).toBeLessThan(0.05);
});

test("others have their turn while a long forecast is made", async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await forecast(standing(20, 10, 18, 300), LEVELS);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

test("so many more trials make a claim if they split as those before", () => {
  const more = moreTrials({ wins: 6, ties: 0, losses: 2 }, LEVELS);
  if (more === null) throw new Error("a forecast can be made");
  const claims = (trials: number) =>
    claimedSide({ wins: (6 / 8) * trials, ties: 0, losses: (2 / 8) * trials }, LEVELS) !== undefined;
  expect([claims(8 + more - 1), claims(8 + more)]).toEqual([false, true]);
});

test("nothing is forecast from level, few or hopeless counts, and nothing is missing from a claim", () => {
  expect(moreTrials({ wins: 5, ties: 3, losses: 5 }, LEVELS)).toBeNull();
  expect(moreTrials({ wins: 5, ties: 0, losses: 2 }, LEVELS)).toBeNull();
  expect(moreTrials({ wins: 5001, ties: 0, losses: 5000 }, LEVELS)).toBeNull();
  expect(moreTrials({ wins: 9, ties: 0, losses: 0 }, LEVELS)).toBe(0);
});
