import { MARGIN } from "./defaults.ts";
import type { Series } from "./series.ts";
import type { SeriesListing } from "./series-listing.ts";

import { whyUndecided } from "./series-status.ts";
import type { SeriesAnswer } from "./series-summary.ts";
import { armWord, say, type Word, type Words } from "./words.ts";

/** What a series says of the candidate, in the words that every door shows. */
export const ANSWER_TEXTS: Readonly<Record<SeriesAnswer, string>> = {
  better: "Better",
  worse: "Worse",
  not_worse: "Not worse",
  no_difference: "No difference",
  not_known: "Not known yet",
};

interface Answered extends Pick<Series, "conclusion" | "control" | "gate" | "gate_reasons"> {
  readonly arms: Readonly<Record<"a" | "b", { readonly arm_id: string }>>;
  /** Absent: nobody knows which margin was asked for. */
  readonly levels?: Pick<Series["levels"], "margin">;
}

/**
 * Whichever arm wins, nothing is known of arms that do not differ. Where nobody chose a margin, arms that differ by no more than the
 * default one, which is wide, are not called equal.
 */
export function seriesAnswerOf({
  conclusion,
  control,
  gate,
  gate_reasons,
  levels,
  arms: { a, b },
}: Answered): SeriesAnswer {
  const isControlA = a.arm_id === control;
  if (gate_reasons?.[a.arm_id]?.because === "no_contrast") return "not_known";
  if (conclusion === "a_preferred") return isControlA ? "worse" : "better";
  if (conclusion === "b_preferred") return isControlA ? "better" : "worse";
  if (gate[isControlA ? b.arm_id : a.arm_id] === "not_worse") return "not_worse";
  return conclusion === "no_difference_above_margin" && isMarginAsked(levels) ? "no_difference" : "not_known";
}

/** Whether somebody chose the margin. One that is the default says nothing of it. */
export const isMarginAsked = (levels: Answered["levels"]): boolean => (levels?.margin ?? MARGIN) !== MARGIN;

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

/** What a list says of a series: the words, the candidate, and how the candidate's wins and losses differ, from -1 to 1. */
export function listedAnswer({ standing, state, arms: [a = "a", b = "b"], control }: SeriesListing) {
  const side = a === control ? "b" : "a";
  const { answer = "not_known", undecided_by, win_rate, low, high } = standing;
  const candidate = armWord({ a, b }, side);
  const points = (rate: number) => (side === "a" ? 1 : -1) * (2 * rate - 1);
  const [one, other] = [points(low), points(high)];
  return {
    words: answerWords({ answer, candidate, state, ...(undecided_by && { undecided_by }) }),
    candidate: side === "a" ? a : b,
    side: answer === "better" ? side : undefined,
    net:
      win_rate === null
        ? null
        : { difference: points(win_rate), low: Math.min(one, other), high: Math.max(one, other) },
  } as const;
}
