import type { CostEstimate } from "../../../domain/doctor-report.ts";
import { percentText } from "../../../domain/number-text.ts";
import { count, countOf, duration, usd } from "../format.ts";

/** How many trials of a series run, and how many of them at once. */
export interface SeriesSize {
  readonly trials: number;
  readonly parallel: number;
}

/** Where other models were chosen than doctor looked at. */
export const OTHER_MODELS = "What it may cost is not known: the estimate is for the models that the scenario names.";

interface KnownOfCost {
  /** Other models than doctor looked at were chosen. */
  readonly asked: boolean;
  /** The cost of earlier runs with the same models, US dollars. */
  readonly earlier: readonly number[];
}

/** Goes by earlier runs where there are any; else between what a short run costs and the end of all budgets. */
export function costText(
  { low_tokens, high_tokens, note, series }: CostEstimate,
  { asked, earlier }: KnownOfCost,
): string {
  // Earlier runs are of two arms.
  const median = series?.contest ? undefined : medianOf(earlier);
  if (median !== undefined && series && (asked || high_tokens > 0)) {
    const most =
      asked || series.high_usd === null ? "" : `, and ${usd(series.high_usd)} if every arm uses its whole budget`;
    return `All ${countOf(series.trials, "trial")} may cost ${usd(median * series.trials)}, going by ${basisText(earlier)} at ${usd(median)}${most}; less when it stops early.`;
  }
  if (asked) return OTHER_MODELS;
  if (!series) return "What it may cost is not known.";
  if (high_tokens === 0) return note;
  const { trials, low_usd, high_usd } = series;
  const tokens = `${count(low_tokens * trials)} to ${count(high_tokens * trials)} tokens`;
  if (low_usd === null || high_usd === null)
    return `All ${countOf(trials, "trial")} may take ${tokens}. What they cost is not known: some model has no price.`;
  return `All ${countOf(trials, "trial")} may take ${tokens} and cost ${usd(low_usd)} if each is short, up to ${usd(high_usd)} if every arm uses its whole budget; less when it stops early.`;
}

/** Goes by the median of earlier runs, milliseconds. */
export function timeText(earlier: readonly number[], { trials, parallel }: SeriesSize): string {
  const median = medianOf(earlier);
  if (median === undefined) return "How long it takes is not known: no such run has ended here yet.";
  const rounds = Math.ceil(trials / parallel);
  return `It may take ${duration(median * rounds)}, going by ${basisText(earlier)}.`;
}

const medianOf = (values: readonly number[]): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

const basisText = (earlier: readonly number[]) =>
  earlier.length === 1 ? "one earlier run" : `the median of ${count(earlier.length)} earlier runs`;

/** What so many trials would show of a difference that there is. */
export function chancesText({ chances, trials, contest }: NonNullable<CostEstimate["series"]>): string {
  const found = chances.map(
    ({ win_share, chance_of_claim }) =>
      `${percentText(chance_of_claim)} if it wins ${Math.round(10 * win_share)} of 10`,
  );
  const shown = contest
    ? `of each of ${contest.arms.length} arms show a candidate that is better, at least`
    : "show the better arm";
  return `Chance that ${countOf(trials, "trial")} ${shown}: ${found.join(", ")} (of the trials with a winner, when one in five has none).`;
}
