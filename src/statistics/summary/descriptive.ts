import { signTest, wilson } from "../../domain/binomial.ts";
import type { Series } from "../../domain/series.ts";
import type { Findings } from "../claim/findings.ts";
import { unitDifferences, unitsIn } from "../claim/means.ts";

/**
 * Figures that are right only when nobody looked before the end: null for a series that might have stopped earlier, did, or
 * went on with other limits.
 */
export function descriptiveOf(findings: Findings): Series["descriptive"] {
  const { subject, sequential } = findings;
  const { limits, stop, changes } = subject.told;
  if (limits?.stop_when_sure !== false || stop !== "exhausted" || changes.length > 0 || sequential.log_e.length === 0)
    return { sign_p: null, wilson: null, by_scenario: null };
  const each = unitsIn(findings, ({ d }) => d);
  const [wins, losses] = [1, -1].map((sign) => each.filter(({ mean }) => Math.sign(mean) === sign).length) as [
    number,
    number,
  ];
  const decisive = wins + losses;
  return {
    sign_p: signTest(wins, losses),
    wilson: decisive === 0 ? null : { share: wins / decisive, ...wilson(wins, decisive) },
    by_scenario: byScenario(unitDifferences(findings)),
  };
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
  // The widest is 12.7, at one degree of freedom.
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
