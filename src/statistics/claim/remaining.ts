import type { Standing } from "./forecast.ts";
import type { SequentialTest } from "./sequential-test.ts";
import { missingOf, roundsToStart, type Tally } from "./tally.ts";

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
  const going = tallies.filter(({ given_up }) => !given_up);
  const possible = going.map(
    (tally) => tally.counted.length + tally.waiting + tally.running + roundsToStart(tally, trials).length,
  );
  return going.length === 0 ? 0 : (Math.min(...possible) - rounds) * going.length;
}
