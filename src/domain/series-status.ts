import type { SeriesState } from "./series-record.ts";
import type { Conclusion, Doubt } from "./series-summary.ts";
import type { Side } from "./verdict.ts";

interface Concluded {
  readonly conclusion: Conclusion;
  readonly state: SeriesState;
  readonly undecided_by?: Doubt;
}

/** Whom the series prefers, and so whose colour it may have. */
export const preferredSide = (conclusion: Conclusion): Side | undefined => PREFERRED[conclusion];

const PREFERRED: Partial<Record<Conclusion, Side>> = { a_preferred: "a", b_preferred: "b" };

/** What a series shows, in the same words wherever it is told. A conclusion stands however the series ended. */
export function statusText({ conclusion, ...known }: Concluded, arms: Readonly<Record<Side, string>>): string {
  const side = preferredSide(conclusion);
  if (side) return `${arms[side]} is preferred`;
  if (conclusion === "no_difference_above_margin") return "No difference above the margin";
  // A newer version may have added one.
  if (conclusion !== "undecided") return conclusion.replaceAll("_", " ");
  const why = whyUndecided(known);
  return why === null ? "Undecided" : `Undecided: ${why}`;
}

function whyUndecided({ state, undecided_by }: Omit<Concluded, "conclusion">): string | null {
  if (state === "running") return "still running";
  if (undecided_by) return undecided_by.replaceAll("_", " ");
  return state === "completed" ? null : state;
}
