import type { SeriesFlag } from "../../domain/series.ts";

/** What a flag of a series says, as a clause. */
export const SERIES_FLAG_TEXT: Readonly<Record<SeriesFlag, string>> = {
  served_model_changed: "another model served an arm or the judge from some trial on",
  arms_differ: "arms of one id are set up differently in different scenarios",
  fragile: "the preference would not stand had the missing trials gone to the other arm",
  claim_reversed: "the trials established a preference for each arm in turn",
  judge_failed_self_test: "this judge failed its newest self-test on one of these scenarios",
  judge_unaudited: "this judge has passed no self-test on one of these scenarios",
  no_variation: "the trials of a scenario went the same way, so they count as one observation",
  scripted: "an arm replays scripts, so the trials say nothing of a model",
  mixed: "one scenario establishes a preference for one arm, another for the other",
  earlier_trials: "there are other trials of the same comparison, which a conclusion must hold with",
};
