import { counted, countText } from "../domain/number-text.ts";
import type { Series } from "../domain/series.ts";

export type GateReason = NonNullable<Series["gate_reasons"]>[string];

interface Told {
  readonly candidate: string;
  readonly control: string;
  /** Share that the candidate may be worse by. */
  readonly not_worse_by: number;
}

/** Points, as people say them: `10 points`. */
export const pointsOf = (share: number) => counted(Number((share * 100).toFixed(1)), "point");

/** Why a gate stays shut, as the end of a sentence, and how many pairs would open it for equal arms. */
export function gateReasonText({ because, needs }: GateReason, told: Told): string {
  // A newer version may have added one.
  const why = Object.hasOwn(REASONS, because) ? REASONS[because](told) : because.replaceAll("_", " ");
  return needs === null
    ? why
    : `${why}; two equal arms would need ${countText(needs)} pairs to show that neither is ${pointsOf(told.not_worse_by)} worse`;
}

export const RESULTS_CHANGED = "results changed during the series (an arm, its model or its surroundings)";

const REASONS: Readonly<Record<GateReason["because"], (told: Told) => string>> = {
  not_shown: ({ candidate, not_worse_by }) =>
    `these trials do not show that ${candidate} is less than ${pointsOf(not_worse_by)} worse`,
  worse: ({ candidate }) => `${candidate} is worse`,
  lapsed: () => "later trials took back what the first ones showed",
  means_disagree: ({ candidate }) => `${candidate} is ahead in more cases, and its mean is not higher`,
  results_changed: () => RESULTS_CHANGED,
  missing_trials: () => "the lead could be gone if the missing trials had gone to the other arm",
  other_trials_disagree: () => "all stored trials of this comparison together do not show it",
  judge_failed_self_test: () => "the judge failed its self-test",
  judge_kin: () => "the judge is of the same family as the arm that is ahead, and nothing else speaks for it",
  no_contrast: () => "both arms are the same in all that abeval knows of them",
  nothing_solved: () => "neither arm solved anything",
  few_pairs: () => "there are too few pairs",
  no_variation: () => "all trials are identical, so they count as one",
  checks_could_not_run: () => "a hidden check could not run",
  selected_baseline: () => "the stored runs were chosen by what they showed",
  single_run: () => "one run does not show how often this happens",
  control: ({ control }) => `${control} is the control`,
  cancelled: () => "the series was cancelled",
  inputs_from_checkout: () => "the author of the change could have written what was compared",
};
