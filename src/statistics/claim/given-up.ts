import type { GivenUp } from "./sequential-test.ts";
import type { Tally } from "./tally.ts";

/** The rounds of a table without the rows that were given up; nothing while all rows go on. */
export function givenUpRows(tallies: readonly Tally[]): { readonly given_up?: GivenUp } {
  const going = tallies.filter(({ given_up }) => !given_up);
  if (going.length === tallies.length) return {};
  const rounds = going.length === 0 ? 0 : Math.min(...going.map(({ counted }) => counted.length));
  return { given_up: { rounds, missingUntil: (round) => sum(tallies.map((tally) => lackingUntil(tally, round))) } };
}

/**
 * A row that was given up lacks one trial in every round that it did not reach, however often that one was tried: no more
 * could have counted.
 */
function lackingUntil(tally: Tally, round: number): number {
  const { counted, given_up } = tally;
  if (given_up && counted.length < round) return (counted.at(-1)?.missing_before ?? 0) + round - counted.length;
  return counted[round - 1]?.missing_before ?? 0;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
