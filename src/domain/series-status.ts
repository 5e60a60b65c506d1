import type { Series } from "./series.ts";
import type { SeriesState } from "./series-record.ts";
import type { Conclusion, Doubt } from "./series-summary.ts";
import { isFinal, type SessionState } from "./session-state.ts";
import type { Outcome, Side } from "./verdict.ts";
import { type ArmNames, armWord, say, type Words, wordsText } from "./words.ts";

interface Concluded {
  readonly conclusion: Conclusion;
  readonly state: SeriesState;
  readonly undecided_by?: Doubt;
}

/** What a series is of, as a heading. */
export const SERIES_KINDS: Readonly<Record<Series["kind"], string>> = {
  planned: "Series",
  stored: "All runs of a comparison",
  results: "Imported results",
};

/** Whom the series prefers, and so whose colour it may have. */
export const preferredSide = (conclusion: Conclusion): Side | undefined => PREFERRED[conclusion];

const PREFERRED: Partial<Record<Conclusion, Side>> = { a_preferred: "a", b_preferred: "b" };

/** What a series shows, in the same words wherever it is told. A conclusion stands however the series ended. */
export function statusWords({ conclusion, ...known }: Concluded, arms: ArmNames): Words {
  const side = preferredSide(conclusion);
  if (side) return say`${armWord(arms, side)} is preferred`;
  if (conclusion === "no_difference_above_margin") return ["No difference above the margin"];
  // A newer version may have added one.
  if (conclusion !== "undecided") return [conclusion.replaceAll("_", " ")];
  const why = whyUndecided(known);
  return [why === null ? "Undecided" : `Undecided: ${why}`];
}

export const statusText = (series: Concluded, arms: ArmNames): string => wordsText(statusWords(series, arms));

/** Null where nothing but too few trials keeps it from a conclusion. */
export function whyUndecided({ state, undecided_by }: Omit<Concluded, "conclusion">): string | null {
  if (state === "running") return "still running";
  if (undecided_by) return undecided_by.replaceAll("_", " ");
  return state === "completed" ? null : state;
}

interface Trial {
  readonly state: SessionState;
  readonly outcome: Outcome | null;
  readonly winner_side: Side | null;
  /** The results of an imported trial. */
  readonly results?: Readonly<Record<Side, number | null>>;
}

/** What a trial gave its series: who won, that nobody did, why it is missing, or how far it is. */
export function trialResult({ state, outcome, winner_side, results }: Trial, arms: ArmNames): string {
  if (!isFinal(state)) return state;
  if (results && outcome === null) return `missing, no result of ${lacking(results, arms)}`;
  if (state !== "completed" || outcome === null) return `missing, ${state === "completed" ? "failed" : state}`;
  if (outcome === "invalid") return "missing, no usable judgement";
  return winner_side === null ? `no winner, ${outcome}` : `${arms[winner_side]} won`;
}

const lacking = (results: Readonly<Record<Side, number | null>>, arms: ArmNames) =>
  (["a", "b"] as const).flatMap((side) => (results[side] === null ? [arms[side]] : [])).join(" and ");
