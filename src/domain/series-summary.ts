import { type Static, Type } from "@sinclair/typebox";
import { Count, nullable, oneOf, record, Share } from "./schema.ts";

export const CONCLUSIONS = ["a_preferred", "b_preferred", "no_difference_above_margin", "undecided"] as const;
/** What a series shows. */
export type Conclusion = (typeof CONCLUSIONS)[number];

/** What a series says of the candidate. */
export const SERIES_ANSWERS = ["better", "worse", "not_worse", "no_difference", "not_known"] as const;
export type SeriesAnswer = (typeof SERIES_ANSWERS)[number];

/** What keeps the trials from a conclusion that their counts alone may seem to bear. */
const DOUBTS = [
  "identical_trials",
  "contradictory_trials",
  "missing_trials",
  "other_trials_disagree",
  "selected_baseline",
  "lapsed",
  "results_changed",
] as const;
export type Doubt = (typeof DOUBTS)[number];

export const UndecidedBy = Type.Optional(
  oneOf(DOUBTS, {
    description: "What keeps the trials from a conclusion; absent where they have one, or are too few.",
  }),
);

/** What a series counts its trials by, because it says little of one. */
const COUNTED_FLAGS = [
  "no_contrast",
  "self_family",
  "panel_one_family",
  "arm_crashed",
  "judge_follows_order",
  "not_concurrent",
  "low_confidence",
] as const;
export type CountedFlag = (typeof COUNTED_FLAGS)[number];

/** What a reader should know before trusting a series, the gravest first. */
export const SERIES_FLAGS = [
  "claim_reversed",
  "check_could_not_run",
  "judge_failed_self_test",
  "baseline_selected",
  "no_contrast",
  "inputs_from_checkout",
  "fragile",
  "self_family",
  "panel_one_family",
  "judge_follows_order",
  "arm_crashed",
  "served_model_changed",
  "arms_differ",
  "mixed",
  "no_variation",
  "rows_repeat",
  "baseline_not_concurrent",
  "not_concurrent",
  "skill_never_fired",
  "low_confidence",
  "few_tasks",
  "earlier_trials",
  "judge_unaudited",
  "results_imported",
  "scripted",
] as const;
export type SeriesFlag = (typeof SERIES_FLAGS)[number];

export const FlagCounts = Type.Optional(
  Type.Record(Type.String(), Count("Trials."), {
    description: `By flag, of ${COUNTED_FLAGS.join(", ")}: the trials that raise it.`,
  }),
);

export const SeriesSummary = record(
  "SeriesSummary",
  {
    series_id: Type.String(),
    trial: Type.Integer({ minimum: 1 }),
    held: Type.Boolean({
      description: "This trial does not count yet: an earlier one, or one of its round, is not done.",
    }),
    trials: Count("Trials that count."),
    wins: Count("Arm a won."),
    ties: Count("No winner, for whatever reason."),
    losses: Count("Arm b won."),
    inconsistent: Count("Among the ties: the judge contradicted itself."),
    inconclusive: Count("Among the ties: the judge could not tell."),
    missing: Count("Trials without a result."),
    win_rate: nullable(Share("Of arm a; a trial without a winner counts half.")),
    low: Share("Lower end of the range that is valid whenever the series is stopped."),
    high: Share("Upper end."),
    e: Type.Number({ minimum: 0, description: "Evidence against no preference." }),
    conclusion: oneOf(CONCLUSIONS),
    statement: Type.String({ description: "Plain sentences; claims no more than these trials." }),
  },
  { description: "Where the series of the run stood when the verdict was stored." },
);
export type SeriesSummary = Static<typeof SeriesSummary>;
