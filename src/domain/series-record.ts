import { type Static, Type } from "@sinclair/typebox";
import { InputsFromCheckout } from "./checkout-input.ts";
import { ContestPlan } from "./contest-plan.ts";
import { MAX_TRIALS } from "./defaults.ts";
import { InputId } from "./scenario.ts";
import { Count, Digest, ModelRef, nullable, oneOf, record, Share, Slug, Timestamp, UserName } from "./schema.ts";
import { CONCLUSIONS, SERIES_ANSWERS, SERIES_FLAGS, UndecidedBy } from "./series-summary.ts";
import { SeriesId } from "./session.ts";

/** Version of the statistics: bets, weights, rules of stopping and counting. Series never pool two. */
export const SERIES_PROTOCOL = "series/2";

export const MAX_SCENARIOS = 2_000;
/** The trials of all scenarios together, and the stored runs of a comparison that a report reads. */
export const MAX_TRIALS_IN_ALL = 20_000;
export const MAX_PARALLEL = 16;
/** With --stop-when-sure and no number: .8 of preferences of four in five are found, as the exact tables say. */
export const DEFAULT_TRIALS = 30;
/** Share of all series on equal arms that may ever claim a preference. */
export const ALPHA = 0.05;

/** What the difference of a trial is taken of. */
export const SERIES_MEASURES = ["solved", "score", "preferred"] as const;
export type SeriesMeasure = (typeof SERIES_MEASURES)[number];

/** What a series that stops when it is sure waits for. */
const STOPS_AT = ["not_worse", "better"] as const;

export const SERIES_STATES = ["running", "completed", "cancelled", "failed", "interrupted"] as const;
export type SeriesState = (typeof SERIES_STATES)[number];

/** Why no further trial is started. */
export const STOPS = [
  "sure",
  "not_worse",
  "equivalent",
  "out_of_reach",
  "unlikely",
  "budget",
  "exhausted",
  "cancelled",
  "failed",
] as const;
export type SeriesStop = (typeof STOPS)[number];

const Trials = Type.Integer({
  minimum: 1,
  maximum: MAX_TRIALS,
  description: `Trials of each scenario, 1 to ${MAX_TRIALS}; of all together at most ${MAX_TRIALS_IN_ALL}.`,
});
const Margin = Type.Number({
  exclusiveMinimum: 0,
  exclusiveMaximum: 0.5,
  description: "Win rates within this distance of 1/2 count as no difference worth having.",
});
export const NotWorseBy = Type.Number({
  minimum: 0.01,
  maximum: 0.5,
  description: "How much worse, on average, still counts as not worse: .1 = 10 points of the measure.",
});
const Parallel = Type.Integer({ minimum: 1, maximum: MAX_PARALLEL, description: "Trials that run at once." });
export const MaxCost = Type.Number({
  exclusiveMinimum: 0,
  description: "The most that the whole series may cost, USD.",
});

/** What may change when a series goes on: none of it touches what a claim rests on. */
export const SeriesLimits = record("SeriesLimits", {
  trials: Trials,
  stop_when_sure: Type.Boolean(),
  stop_at: Type.Optional(
    oneOf(STOPS_AT, {
      description: "What it stops at with `stop_when_sure`. Absent in series/1, and where it is `not_worse`.",
    }),
  ),
  parallel: Parallel,
  max_cost_usd: nullable(MaxCost),
});
export type SeriesLimits = Static<typeof SeriesLimits>;

export const SeriesBaseline = record(
  "SeriesBaseline",
  {
    digest: Digest("Identifies the stored runs: it is the same for a series and a bundle made from it."),
    series_id: SeriesId,
    at: Timestamp("When that series was accepted."),
    side: oneOf(["a", "b"], { description: "The arm for which stored runs are used." }),
    runs: Count("Stored runs of each scenario, of the one with the fewest; beyond them both arms run."),
    selected: Type.Optional(
      Type.Literal(true, {
        description: "The runs were chosen by what they showed: the series stopped because of it, or preferred an arm.",
      }),
    ),
    same_model: Type.Optional(Type.Literal(true, { description: "Both arms request the same model." })),
  },
  { description: "Stored runs that are used for one arm. Absent: both arms run." },
);
export type SeriesBaseline = Static<typeof SeriesBaseline>;

export const SeriesCluster = record(
  "SeriesCluster",
  {
    field: Type.String({ description: "Column whose value names the cluster of a row." }),
    of_row: Type.Array(Type.Integer({ minimum: 0 }), {
      description: "For each scenario, in their order: the number of its cluster, from 0.",
    }),
  },
  { description: "Rows that count as their mean in each round. Absent: each counts for itself." },
);
export type SeriesCluster = Static<typeof SeriesCluster>;

/** What a claim rests on; fixed before the first trial. */
export const SeriesPlan = record("SeriesPlan", {
  protocol: Type.String({ description: "Version of the statistics." }),
  scenarios: Type.Array(
    record("PlannedScenario", {
      scenario: Slug(),
      input: Type.Optional(InputId),
      digest: Digest("Of the scenario's definition."),
      comparison: Digest("What is compared with what, by which judge."),
      self_test_key: nullable(Digest("Of self-tests of this judge on this scenario."), {
        description: "Null when no model judges.",
      }),
    }),
    { minItems: 1, maxItems: MAX_SCENARIOS },
  ),
  arms: Type.Array(Slug(), {
    minItems: 2,
    maxItems: 2,
    description: "Arm ids: a, then b; of a contest those of its first pair.",
  }),
  contest: Type.Optional(ContestPlan),
  judge_model: Type.String(),
  model_override: nullable(ModelRef),
  alpha: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
  margin: Margin,
  measure: Type.Optional(
    oneOf(SERIES_MEASURES, { description: "Absent in series/1, which took each verdict's winner." }),
  ),
  not_worse_by: Type.Optional(NotWorseBy),
  cluster: Type.Optional(SeriesCluster),
  seed: Type.String({ description: "Weighted scripts are chosen by it." }),
  scripted: Type.Boolean({ description: "Some arm replays scripts: its trials say nothing about a model." }),
  baseline: Type.Optional(SeriesBaseline),
  arms_differ: Type.Boolean({ description: "An arm with one id is set up differently in different scenarios." }),
});
export type SeriesPlan = Static<typeof SeriesPlan>;

export const SeriesStanding = record(
  "SeriesStanding",
  {
    conclusion: oneOf(CONCLUSIONS),
    undecided_by: UndecidedBy,
    win_rate: nullable(Share("Of arm a; a trial without a winner counts half.")),
    low: Share("Lower end of the range that is valid whenever the series is stopped."),
    high: Share("Upper end."),
    counted: Count("Trials that count."),
    answer: Type.Optional(
      oneOf(SERIES_ANSWERS, {
        description: "What the series says of the candidate. Absent where an earlier version wrote it.",
      }),
    ),
    flags: Type.Optional(
      Type.Array(oneOf(SERIES_FLAGS), {
        minItems: 1,
        description: "Flags that lists show. Absent: none is known without reading the trials.",
      }),
    ),
  },
  { description: "When a trial last ended; for lists." },
);
export type SeriesStanding = Static<typeof SeriesStanding>;

/** Values of one column that name groups. */
export const MAX_GROUPS = 50;

export const SeriesColumn = record(
  "SeriesColumn",
  {
    field: Type.String({ description: "Column of the inputs." }),
    values: Type.Array(Type.String(), { maxItems: MAX_GROUPS, description: "Each once." }),
    of_row: Type.Array(Type.Integer({ minimum: 0 }), {
      description: "For each of the plan's scenarios, in their order: the place of its value in `values`.",
    }),
  },
  { description: "A column by whose values the rows of a series can be grouped." },
);
export type SeriesColumn = Static<typeof SeriesColumn>;

const Columns = Type.Array(SeriesColumn, {
  description:
    "Columns by which its rows can be grouped. Absent: it has no inputs, or no column with few short values.",
});

const RepeatedRows = Type.Optional(
  Count("Rows that ask what another row asks, in no cluster with it. Absent: none is known."),
);

const SeriesWatch = record(
  "SeriesWatch",
  {
    reference: SeriesId,
    arm: Slug({ description: "Id of the arm that runs." }),
    night: Count("Its number, from 1."),
  },
  { description: "The night of a watch that the series is: its other arm stands still. Absent: it is none." },
);

/** What is stored of a series beside its trials. Everything else is computed from these and the trials. */
export const SeriesRecord = record("SeriesRecord", {
  series_id: SeriesId,
  created_at: Timestamp("When the series was accepted."),
  finished_at: nullable(Timestamp("When it reached a final state.")),
  state: oneOf(SERIES_STATES),
  stop: nullable(oneOf(STOPS)),
  failure: nullable(Type.String({ description: "Why it failed or was interrupted." })),
  plan: SeriesPlan,
  plan_digest: Digest("SHA-256 over the plan."),
  limits: SeriesLimits,
  standing: SeriesStanding,
  series_before: Type.Optional(
    Count(
      "Series that were begun on the same stored runs before, as far as this store knows. Absent without a baseline.",
    ),
  ),
  columns: Type.Optional(Columns),
  repeated_rows: RepeatedRows,
  watch: Type.Optional(SeriesWatch),
  control: Type.Optional(
    Slug({ description: "Id of the arm that the other is compared with; it changes words alone." }),
  ),
  inputs_from_checkout: InputsFromCheckout,
  user: Type.Optional(UserName),
  /** Limits that were in force before, with the moment at which they were changed. */
  changes: Type.Array(record("SeriesChange", { at: Timestamp("When."), limits: SeriesLimits })),
});
export type SeriesRecord = Static<typeof SeriesRecord>;
