import type { Standing } from "./forecast.ts";
import type { SequentialTest } from "./sequential-test.ts";
import { missingOf, numberOf, resultOf, type Tally } from "./tally.ts";

/**
 * Rounds for which a scenario still needs a trial, the first ones first: those whose last trial failed, then those that have
 * none. What a person cancelled or deleted, and what a judge could not use, is not tried again: to choose among results
 * would bias them.
 */
export function roundsToStart({ rows }: Tally, trials: number): readonly number[] {
  const failed = new Map<number, boolean>();
  let begun = 0;
  for (const row of rows) {
    const round = row.place?.round ?? 0;
    failed.set(round, resultOf(row) === "failed");
    begun = Math.max(begun, round);
  }
  const again = [...failed].filter(([round, lost]) => lost && round <= trials).map(([round]) => round);
  const fresh = Array.from({ length: Math.max(0, trials - begun) }, (_, index) => begun + index + 1);
  return [...again.sort((one, other) => one - other), ...fresh];
}

/** What a forecast needs: every trial that is missing by now will be before those that come. */
export function standingOfTest(
  { counts, uncertain, log_e }: SequentialTest,
  tallies: readonly Tally[],
  { trials, deleted }: { readonly trials: number; readonly deleted: number },
): Standing {
  const missing = tallies.reduce((sum, tally) => sum + missingOf(tally), deleted);
  return { counts, uncertain: { ...uncertain, missing }, left: trialsLeft(tallies, trials, log_e.length) };
}

/** Trials that can still count, of all scenarios together: the one that has lost most trials ends the last round. */
function trialsLeft(tallies: readonly Tally[], trials: number, rounds: number): number {
  const possible = tallies.map(
    (tally) => tally.counted.length + tally.waiting + tally.running + roundsToStart(tally, trials).length,
  );
  return (Math.min(...possible) - rounds) * tallies.length;
}

/** The number of the next trial: no number is given twice. */
export const nextNumber = (tallies: readonly Tally[]): number =>
  1 + tallies.flatMap(({ rows }) => rows).reduce((largest, row) => Math.max(largest, numberOf(row)), 0);
