import type { SolvedCount } from "../domain/series-arm.ts";
import type { Counts } from "./claim/e-process.ts";
import { winRateRange } from "./claim/interval.ts";

/** The difference of two shares, second minus first, with its range; each from -1 to 1. */
export interface ShareDifference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How far the win rates of two series lie apart. Each rate has its range at half of `alpha`; the differences that both ranges
 * allow are the range (Bonferroni). It holds whenever either series is stopped and however often somebody looks, also when the
 * trials of one depend on those of the other. Null while one has no trial.
 */
export function winRateDifference(first: Counts, second: Counts, alpha: number): ShareDifference | null {
  const [one, other] = [rateOf(first), rateOf(second)];
  if (one === null || other === null) return null;
  const [ofFirst, ofSecond] = [winRateRange(first, alpha / 2), winRateRange(second, alpha / 2)];
  return { difference: other - one, low: ofSecond.low - ofFirst.high, high: ofSecond.high - ofFirst.low };
}

function rateOf({ wins, ties, losses }: Counts): number | null {
  const trials = wins + ties + losses;
  return trials === 0 ? null : (wins + ties / 2) / trials;
}

/**
 * How far two shares of solved trials lie apart, with Newcombe's 95% range of the difference of independent proportions
 * (Statistics in Medicine 17, 1998, method 10, from Wilson's ranges). It is right for one look at a number of trials that was
 * fixed before; otherwise it only describes. Null without trials.
 */
export function solvedDifference(first: SolvedCount, second: SolvedCount): ShareDifference | null {
  if (first.trials === 0 || second.trials === 0) return null;
  const [one, other] = [first.solved / first.trials, second.solved / second.trials];
  const difference = other - one;
  return {
    difference,
    low: difference - Math.hypot(other - second.low, first.high - one),
    high: difference + Math.hypot(second.high - other, one - first.low),
  };
}
