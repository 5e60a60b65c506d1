import { checkScoreText } from "../domain/check-result.ts";
import { counted, countText, percentText } from "../domain/number-text.ts";
import type { Series } from "../domain/series.ts";
import type { PassedCount, SeriesCheck } from "../domain/series-arm.ts";
import type { Side } from "../domain/verdict.ts";

/** What the evidence must reach for a claim; in percent, how sure one is then. */
export const limitText = (alpha: number): string => `${Number((1 / alpha).toFixed(1))}`;

export const confidenceText = (alpha: number): string => `${Number(((1 - alpha) * 100).toFixed(3))}%`;

/** A win rate with its range: `67%, 95% range 35% to 88%`. @param alpha absent: the reader is not told how sure it is */
export function rangedRateText({ win_rate, low, high }: Rate, alpha?: number): string {
  if (win_rate === null) return "not known, since no trial counts";
  const sure = alpha === undefined ? "" : `${confidenceText(alpha)} `;
  return `${percentText(win_rate)}, ${sure}range ${percentText(low)} to ${percentText(high)}`;
}

type Rate = Pick<Series["headline"], "win_rate" | "low" | "high">;

const LARGE_EVIDENCE = 1_000;

/** One decimal; never the limit itself when it is not reached. */
export function evidenceText(e: number, alpha: number): string {
  if (e >= LARGE_EVIDENCE) return "over 1,000";
  if (e < 0.05) return "below 0.1";
  const text = e.toFixed(1);
  return e < 1 / alpha && Number(text) >= 1 / alpha ? `just below ${limitText(alpha)}` : text;
}

/** What an arm did where it failed nothing that is required. Imported results have their own word for it: their column's. */
export const solvedWord = ({ imported }: { readonly imported?: Series["imported"] | undefined }) =>
  imported ? "passed" : "solved";

/** `mean .62 in 10 trials`, and how often it passed where it does; a dash where neither is known. */
export function checkRateText(check: SeriesCheck, side: Side): string {
  const scored = check.scores?.[side];
  const passed = check[side];
  if (!scored) return passedText(passed);
  const mean = `mean ${checkScoreText(scored.mean)} in ${counted(scored.trials, "trial")}`;
  return passed === null ? mean : `${passedText(passed)}; ${mean}`;
}

/** `9 of 10, range 60% to 98%`; a dash where it is not known. */
const passedText = (count: PassedCount | null) =>
  count === null
    ? "–"
    : `${countText(count.passed)} of ${countText(count.trials)}, range ${percentText(count.low)} to ${percentText(count.high)}`;
