import { type Counts, logEvidence, type Wagers, wagersAgainst } from "./e-process.ts";

/** Ends of a win rate of arm a, from 0 to 1, in which a trial without a winner counts half. */
interface WinRateRange {
  readonly low: number;
  readonly high: number;
}

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

/** The same for many counts of which most are alike, as those of the rows of a table: each is computed once. */
export function rangesAt(alpha: number): (counts: Counts) => WinRateRange {
  const known = new Map<string, WinRateRange>();
  return (counts) => {
    const key = `${counts.wins} ${counts.ties} ${counts.losses}`;
    const range = known.get(key) ?? winRateRange(counts, alpha);
    known.set(key, range);
    return range;
  };
}

/** From `mean`, which is inside, towards `outside`. The evidence is convex in the mean, so there is one border at most. */
function border(counts: Counts, alpha: number, mean: number, outside: number): number {
  let [inner, outer] = [mean, outside];
  for (;;) {
    const middle = (inner + outer) / 2;
    // A double can tell nothing between them apart.
    if (middle === inner || middle === outer) return inner;
    if (isContradicted(counts, alpha, wagersAgainst(middle))) outer = middle;
    else inner = middle;
  }
}

/** Whether the trials contradict the mean that the wagers are against. */
export const isContradicted = (counts: Counts, alpha: number, wagers: Wagers): boolean =>
  logEvidence(counts, wagers).both >= -Math.log(alpha);
