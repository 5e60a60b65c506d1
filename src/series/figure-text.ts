import type { PassedCount } from "../domain/series.ts";

/** Shares at which a reader concludes something. */
const LANDMARKS = [0, 0.5, 1];

/** Whole percents, with one decimal where they would read 0, 50 or 100 and are not: `50.4%`, `just above 50%`, `over 99.9%`. */
export function percentText(share: number): string {
  for (const decimals of [0, 1]) {
    const text = (share * 100).toFixed(decimals);
    const landmark = LANDMARKS.find((one) => one * 100 === Number(text));
    if (landmark === undefined || landmark === share) return `${text}%`;
  }
  if (share < 0.25) return "below 0.1%";
  if (share > 0.75) return "over 99.9%";
  return `just ${share > 0.5 ? "above" : "below"} 50%`;
}

/** What the evidence must reach for a claim; in percent, how sure one is then. */
export const limitText = (alpha: number): string => `${Number((1 / alpha).toFixed(1))}`;

export const confidenceText = (alpha: number): string => `${Number(((1 - alpha) * 100).toFixed(3))}%`;

const LARGE_EVIDENCE = 1_000;

/** One decimal; never the limit itself when it is not reached. */
export function evidenceText(e: number, alpha: number): string {
  if (e >= LARGE_EVIDENCE) return "over 1,000";
  if (e < 0.05) return "below 0.1";
  const text = e.toFixed(1);
  return e < 1 / alpha && Number(text) >= 1 / alpha ? `just below ${limitText(alpha)}` : text;
}

/** `9 of 10, 60% to 98%`; a dash where it is not known. */
export const passedText = (count: PassedCount | null) =>
  count === null ? "–" : `${count.passed} of ${count.trials}, ${percentText(count.low)} to ${percentText(count.high)}`;
