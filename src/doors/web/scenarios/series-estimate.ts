import type { CostEstimate } from "../../../domain/health.ts";
import { percentText } from "../../../domain/number-text.ts";
import { count, countOf, duration, usd } from "../format.ts";

/** How many trials of a series run, and how many of them at once. */
export interface SeriesSize {
  readonly trials: number;
  readonly parallel: number;
}

/** Where other models were chosen than doctor looked at. */
export const OTHER_MODELS = "What it may cost is not known: the estimate is for the models that the scenario names.";

/** `asked`: other models than doctor looked at were chosen. */
export function costText({ low_tokens, high_tokens, note, series }: CostEstimate, asked: boolean): string {
  if (asked) return OTHER_MODELS;
  if (!series) return "What it may cost is not known.";
  if (high_tokens === 0) return note;
  const { trials, low_usd, high_usd } = series;
  const tokens = `${count(low_tokens * trials)} to ${count(high_tokens * trials)} tokens`;
  if (low_usd === null || high_usd === null)
    return `All ${countOf(trials, "trial")} may take ${tokens}. What they cost is not known: some model has no price.`;
  return `All ${countOf(trials, "trial")} may take ${tokens} and cost ${usd(low_usd)} to ${usd(high_usd)}; less when it stops early.`;
}

/** Goes by the median of earlier runs, milliseconds. */
export function timeText(earlier: readonly number[], { trials, parallel }: SeriesSize): string {
  const sorted = earlier.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return "How long it takes is not known: no such run has ended here yet.";
  const rounds = Math.ceil(trials / parallel);
  const basis = sorted.length === 1 ? "one earlier run" : `the median of ${count(sorted.length)} earlier runs`;
  return `It may take ${duration(median * rounds)}, going by ${basis}.`;
}

/** What so many trials would show of a difference that there is. */
export function chancesText({ chances, trials }: NonNullable<CostEstimate["series"]>): string {
  const found = chances.map(
    ({ win_share, chance_of_claim }) =>
      `${percentText(chance_of_claim)} if it wins ${Math.round(10 * win_share)} of 10`,
  );
  return `Chance that ${countOf(trials, "trial")} show the better arm: ${found.join(", ")} (of the trials with a winner, when one in five has none).`;
}
