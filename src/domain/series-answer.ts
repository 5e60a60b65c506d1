import type { Series } from "./series.ts";
import { whyUndecided } from "./series-status.ts";
import { say, type Word, type Words } from "./words.ts";

/** What a series says of the candidate, in the words that every door shows. */
export const ANSWER_TEXTS = {
  better: "Better",
  worse: "Worse",
  not_worse: "Not worse",
  no_difference: "No difference",
  not_known: "Not known yet",
} as const;
export type SeriesAnswer = keyof typeof ANSWER_TEXTS;

type Answered = Pick<Series, "conclusion" | "control" | "gate" | "arms">;

export function seriesAnswerOf({ conclusion, control, gate, arms: { a, b } }: Answered): SeriesAnswer {
  const isControlA = a.arm_id === control;
  if (conclusion === "a_preferred") return isControlA ? "worse" : "better";
  if (conclusion === "b_preferred") return isControlA ? "better" : "worse";
  if (gate[isControlA ? b.arm_id : a.arm_id] === "not_worse") return "not_worse";
  return conclusion === "no_difference_above_margin" ? "no_difference" : "not_known";
}

interface Said extends Pick<Series, "state" | "undecided_by"> {
  readonly answer: SeriesAnswer;
  readonly candidate: Word;
}

/** What a series says of the candidate, in two or three words. */
export function answerWords({ answer, candidate, ...known }: Said): Words {
  const why = answer === "not_known" ? whyUndecided(known) : null;
  if (why !== null) return [`${ANSWER_TEXTS.not_known}: ${why}`];
  return answer === "not_known" ? [ANSWER_TEXTS.not_known] : say`${ANSWER_TEXTS[answer]}: ${candidate}`;
}
