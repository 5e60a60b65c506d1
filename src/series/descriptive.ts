import type { Series } from "../domain/series.ts";
import type { Counts } from "./e-process.ts";
import type { Findings } from "./findings.ts";
import type { CountedTrial } from "./tally.ts";

/** Of a share, both 0 to 1. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * Figures that are right only when nobody looked before the end: null for a series that might have stopped earlier, did, or
 * went on with other limits.
 */
export function descriptiveOf({ subject, course, tallies }: Findings): Series["descriptive"] {
  const { limits, stop, changes } = subject.told;
  const rounds = course.log_e.length;
  if (limits?.stop_when_sure !== false || stop !== "exhausted" || changes.length > 0 || rounds === 0)
    return { sign_p: null, wilson: null, by_scenario: null };
  const { wins, losses } = course.counts;
  const decisive = wins + losses;
  return {
    sign_p: signTest(course.counts),
    wilson: decisive === 0 ? null : { share: wins / decisive, ...wilson(wins, decisive) },
    by_scenario: byScenario(tallies.map(({ counted }) => meanOf(counted.slice(0, rounds)))),
  };
}

const meanOf = (trials: readonly CountedTrial[]): number => trials.reduce((sum, { d }) => sum + d, 0) / trials.length;

/** Quantile of the normal distribution at 97.5%. */
const Z = 1.959963984540054;

/** Wilson's 95% range of a share (JASA 22, 1927). `all` is positive. */
export function wilson(some: number, all: number): Range {
  const [share, z2] = [some / all, Z * Z];
  const centre = (share + z2 / (2 * all)) / (1 + z2 / all);
  const half = (Z * Math.sqrt((share * (1 - share)) / all + z2 / (4 * all * all))) / (1 + z2 / all);
  // At the ends the sums miss 0 and 1 by a rounding error.
  return { low: some === 0 ? 0 : centre - half, high: some === all ? 1 : centre + half };
}

/** Exact two-sided sign test: how likely fair coins are split at least as unevenly. 1 without a decisive trial. */
export function signTest({ wins, losses }: Pick<Counts, "wins" | "losses">): number {
  const trials = wins + losses;
  let term = -trials * Math.LN2;
  let tail = Math.exp(term);
  for (let more = 1; more <= Math.min(wins, losses); more += 1) {
    term += Math.log((trials - more + 1) / more);
    tail += Math.exp(term);
  }
  return Math.min(1, 2 * tail);
}

/** Fewer scenarios say nothing of others like them. */
const LEAST_SCENARIOS = 5;

/** Student's 95% range for scenarios like these, from the mean difference in each; null below five. */
export function byScenario(means: readonly number[]): Series["descriptive"]["by_scenario"] {
  const size = means.length;
  if (size < LEAST_SCENARIOS) return null;
  const mean = means.reduce((sum, one) => sum + one, 0) / size;
  const squares = means.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const half = studentQuantile(size - 1) * Math.sqrt(squares / (size * (size - 1)));
  return { mean, low: mean - half, high: mean + half, ahead: means.filter((one) => one > 0).length };
}

/** Halvings of a range that holds the quantile: more than a double can tell apart. */
const HALVINGS = 60;

/** The 97.5% quantile of Student's t. */
export function studentQuantile(freedom: number): number {
  // At one degree of freedom, the widest, it is 12.7.
  let [low, high] = [0, 16];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (shareWithin(middle, freedom) < 0.95) low = middle;
    else high = middle;
  }
  return low;
}

/** Share of Student's t between -t and t; exact for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
function shareWithin(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = 0;
  for (let power = isOdd ? 1 : 0; power <= freedom - 2; power += 2) {
    sum += term;
    term *= (Math.cos(angle) ** 2 * (power + 1)) / (power + 2);
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
