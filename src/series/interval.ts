import { type Counts, logEvidence } from "./e-process.ts";

/** Ends of a win rate of arm a, from 0 to 1, in which a trial without a winner counts half. */
export interface WinRateRange {
  readonly low: number;
  readonly high: number;
}

/** Halvings of a range of length 2: more than a double can tell apart. */
const HALVINGS = 200;

/**
 * The win rates that the trials do not contradict at level `alpha`, whenever somebody looks. It leaves 1/2 out exactly when
 * the evidence against no preference is 1 / alpha or more.
 */
export function winRateRange(counts: Counts, alpha: number): WinRateRange {
  const trials = counts.wins + counts.ties + counts.losses;
  if (trials === 0) return { low: 0, high: 1 };
  const mean = (counts.wins - counts.losses) / trials;
  const end = (outside: number) => (1 + border(counts, alpha, mean, outside)) / 2;
  return { low: end(-1), high: end(1) };
}

/** From `mean`, which is inside, towards `outside`. The evidence is convex in the mean, so there is one border at most. */
function border(counts: Counts, alpha: number, mean: number, outside: number): number {
  let [inner, outer] = [mean, outside];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (inner + outer) / 2;
    if (isContradicted(counts, alpha, middle)) outer = middle;
    else inner = middle;
  }
  return inner;
}

/** Whether the trials contradict a mean on the scale from -1 to 1. */
export const isContradicted = (counts: Counts, alpha: number, mean: number): boolean =>
  logEvidence(counts, mean).both >= -Math.log(alpha);
