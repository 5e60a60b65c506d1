import { type Counts, logEvidence, netOf, totalIn, type Wagers, wagersAgainst } from "./e-process.ts";
import { NOW, type Rules } from "./rules.ts";

/** Ends of a win rate of arm a, from 0 to 1, in which a trial without a winner counts half. */
export interface WinRateRange {
  readonly low: number;
  readonly high: number;
}

/**
 * The win rates that the trials do not contradict at level `alpha`, whenever somebody looks. It leaves 1/2 out exactly when
 * the evidence against no preference is 1 / alpha or more.
 */
export function winRateRange(counts: Counts, alpha: number, rules = NOW): WinRateRange {
  const trials = totalIn(counts);
  if (trials === 0) return { low: 0, high: 1 };
  const mean = netOf(counts) / trials;
  const end = (outside: number) => (1 + borderOf(counts, mean, outside, { alpha, rules })) / 2;
  return { low: end(-1), high: end(1) };
}

/** The same for many counts of which most are alike, as those of the rows of a table: each is computed once. */
export function rangesAt(alpha: number, rules: Rules | undefined): (counts: Counts) => WinRateRange {
  const known = new Map<string, WinRateRange>();
  return (counts) => {
    const key = `${counts.wins} ${counts.ties} ${counts.losses}`;
    const range = known.get(key) ?? winRateRange(counts, alpha, rules);
    known.set(key, range);
    return range;
  };
}

interface At {
  readonly alpha: number;
  readonly rules?: Rules | undefined;
}

/** From a mean that is inside, towards `outside`. The evidence is convex in the mean, so there is one border at most. */
function borderOf(counts: Counts, inside: number, outside: number, { alpha, rules }: At): number {
  let [inner, outer] = [inside, outside];
  for (;;) {
    const middle = (inner + outer) / 2;
    // A double can tell nothing between them apart.
    if (middle === inner || middle === outer) return inner;
    if (isContradicted(counts, alpha, wagersAgainst(middle, rules), rules)) outer = middle;
    else inner = middle;
  }
}

/** Whether the trials contradict the mean that the wagers are against. */
export const isContradicted = (counts: Counts, alpha: number, wagers: Wagers, rules?: Rules): boolean =>
  logEvidence(counts, wagers, rules).both >= -Math.log(alpha);

/**
 * The win rates that none of these looks contradicted, the last one among them; null where there are none. As valid as the range of
 * each: at level `alpha` all ranges hold the truth at once.
 */
export function runningRange(looks: readonly Counts[], at: At): WinRateRange | null {
  let [low, high] = [-1, 1];
  for (const counts of looks) {
    const trials = totalIn(counts);
    if (trials === 0) continue;
    const mean = netOf(counts) / trials;
    // A bet against an end of the scale may lose everything, or gain without bound: the search alone can tell.
    const contradicts = (end: number) =>
      end !== mean && (Math.abs(end) === 1 || isContradicted(counts, at.alpha, wagersAgainst(end, at.rules), at.rules));
    if ((low > mean && contradicts(low)) || (high < mean && contradicts(high))) return null;
    if (contradicts(low)) low = borderOf(counts, mean, low, at);
    if (contradicts(high)) high = borderOf(counts, mean, high, at);
  }
  return { low: (1 + low) / 2, high: (1 + high) / 2 };
}
