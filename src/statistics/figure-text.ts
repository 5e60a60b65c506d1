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

/** Differences at which a reader concludes something. */
const LANDMARKS = [-1, 0, 1];

/** By so much may a difference be off that was summed from fractions. */
const ROUNDING = 1e-12;

/** A difference in points with its sign: `+44`, `-7`, `0`; with decimals where it would read 0 or 100 and is not: `+0.4`. */
export function signedPoints(share: number): string {
  for (const decimals of [0, 1, 2]) {
    const points = Number((share * 100).toFixed(decimals));
    const landmark = LANDMARKS.find((one) => one * 100 === points);
    if (landmark === undefined || Math.abs(landmark - share) < ROUNDING) return signed(points);
  }
  const landmark = Math.round(share);
  return `just ${share < landmark ? "below" : "above"} ${signed(landmark * 100)}`;
}

/** Without the sign of a zero. */
const signed = (points: number) => (points > 0 ? `+${points}` : String(points + 0));

/** How far the candidate lies from the control: `44 points more`, `1 point less`, `level`. */
export function distanceText(share: number): string {
  if (Math.abs(share) < ROUNDING) return "level";
  const points = signedPoints(Math.abs(share)).replace("+", "");
  return `${points} ${points === "1" ? "point" : "points"} ${share > 0 ? "more" : "less"}`;
}

/** Points, as people say them: `10 points`. */
export const pointsOf = (share: number) => counted(Number((share * 100).toFixed(1)), "point");
