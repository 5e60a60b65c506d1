import { type Static, Type } from "@sinclair/typebox";
import { GridRow } from "./cell.ts";
import { InputsFromCheckout } from "./checkout-input.ts";
import { Efficiency } from "./efficiency.ts";
import { Gate, GateLikeThese, GateReasons } from "./pipeline-gate.ts";
import { PriceDate } from "./price-list.ts";
import { GivenName, RESULT_MEASURES, TieMargin } from "./results.ts";
import { InputId } from "./scenario.ts";
import { Count, Digest, nullable, oneOf, record, Share, Slug, Timestamp } from "./schema.ts";
import { SeriesArm, SeriesCheck, SolvedCount, Usd } from "./series-arm.ts";
import { SeriesCounts, SeriesLedger, SeriesScenarioCounts } from "./series-counts.ts";
import { NotWorseBy, SERIES_STATES, SeriesLimits, SeriesPlan, SeriesRecord, STOPS } from "./series-record.ts";
import { LikeThese, SeriesResult } from "./series-result.ts";
import { CONCLUSIONS, FlagCounts, SERIES_FLAGS, UndecidedBy } from "./series-summary.ts";
import { SeriesTrial } from "./series-trial.ts";
import { DECIDERS, SIDES } from "./verdict.ts";

const Earlier = record("EarlierTrials", {
  trials: Count("Of the same comparison, outside of this series; those that repeat another count once."),
  e: Type.Number({ minimum: 0, description: "Their evidence." }),
  e_with_this: Type.Number({ minimum: 0, description: "Of all stored trials, this series' own among them." }),
});
export type EarlierTrials = Static<typeof Earlier>;

const Claim = record("SeriesClaim", {
  side: oneOf(SIDES),
  at_trial: Type.Integer({ minimum: 1, description: "The number of counted trials when it was made." }),
  e: Type.Number({ description: "Evidence at that point." }),
});

const Headline = record("SeriesHeadline", {
  win_rate: nullable(Share("Of arm a; a trial without a winner counts half. Null without trials.")),
  low: Share("Lower end of the range that is valid whenever the series is stopped."),
  high: Share("Upper end."),
  net: nullable(Type.Number({ minimum: -1, maximum: 1, description: "(wins - losses) / trials." })),
  e: Type.Number({ minimum: 0, description: "Evidence against no preference; 1 / alpha makes a claim." }),
  p_anytime: Share("Smallest alpha at which a claim would have been made so far: 1 / the greatest evidence."),
  claim: nullable(Claim, {
    description:
      "The claim of these trials alone. Once made, it stays. `conclusion` says whether all stored trials confirm it.",
  }),
  fragile: Type.Boolean({
    description:
      "The claim would not stand if all missing trials had gone to the other side, so the conclusion is `undecided`.",
  }),
  worst_case_e: Type.Number({
    minimum: 0,
    description:
      "The least evidence that there could be, however many of the missing trials went to the arm that is behind.",
  }),
});
export type SeriesHeadline = Static<typeof Headline>;

const SeriesScenario = record("SeriesScenario", {
  scenario: GivenName("Name of the scenario."),
  input: Type.Optional(InputId),
  digest: nullable(Digest("Of its definition."), {
    description: "Null for stored runs, whose definitions may differ, and for imported results.",
  }),
  comparison: Type.Optional(Digest("What is compared with what, by which judge. Absent for imported results.")),
  counts: SeriesScenarioCounts,
  headline: Headline,
  conclusion: oneOf(CONCLUSIONS, {
    description: "Its own, at alpha divided by the number of scenarios; otherwise the row only describes.",
  }),
  solved: record("SolvedByArm", { a: nullable(SolvedCount), b: nullable(SolvedCount) }),
  checks: Type.Array(SeriesCheck, { description: "Hidden checks; empty without such, or where trials are of 0.1.6." }),
  earlier: nullable(Earlier),
  given_up: Type.Optional(
    Type.Literal(true, {
      description:
        "It can give no more trials, or has none of both arms: rounds are complete without it, and it counts as missing.",
    }),
  ),
  distinct_runs: nullable(Count("Trials that differ in what the models said and called; null when unknown.")),
});

export const SeriesGroup = record("SeriesGroup", {
  field: Type.String({ description: "Column of the inputs." }),
  value: Type.String(),
  counts: record("SeriesGroupCounts", {
    rows: Count("Rows with this value."),
    trials: Count("Their trials that count."),
    wins: Count("Arm a won."),
    ties: Count("No winner, for whatever reason."),
    losses: Count("Arm b won."),
  }),
  win_rate: nullable(Share("Of arm a; a trial without a winner counts half. Null without trials.")),
  low: Share("Lower end of its range."),
  high: Share("Upper end."),
});
export type SeriesGroup = Static<typeof SeriesGroup>;

const Rate = record("DescribedRate", {
  share: Share("Of the decisive trials."),
  low: Share("Wilson 95%."),
  high: Share("Wilson 95%."),
});

export const Series = record("Series", {
  series_id: Type.String({
    pattern: "^(series-\\d{8}T\\d{9}Z-[0-9a-f]{8}|(cmp|results)-[0-9a-f]{64})$",
    description:
      "`series-...`; `cmp-<comparison>`: all stored runs of a comparison; `results-<digest>`: results of runs that were made elsewhere.",
  }),
  kind: oneOf(["planned", "stored", "results"], {
    description: "`results`: imported from a table; abeval saw none of these runs.",
  }),
  protocol: Type.String({ description: "Version of the statistics." }),
  state: oneOf(SERIES_STATES),
  stop: nullable(oneOf(STOPS)),
  failure: nullable(Type.String({ description: "Why it failed or was interrupted." })),
  plan: nullable(SeriesPlan, { description: "Null for stored runs, whose number was not planned." }),
  plan_digest: nullable(Digest("SHA-256 over the plan, on which the claim rests.")),
  imported: Type.Optional(
    record(
      "ImportedTable",
      { measure: oneOf(RESULT_MEASURES), tie_margin: TieMargin, cluster: SeriesPlan.properties.cluster },
      { description: "How imported results became wins and ties. Absent for runs of abeval." },
    ),
  ),
  levels: record("SeriesLevels", {
    alpha: SeriesPlan.properties.alpha,
    margin: SeriesPlan.properties.margin,
    not_worse_by: NotWorseBy,
  }),
  limits: nullable(SeriesLimits, { description: "Null for stored runs, whose number was not planned." }),
  series_before: SeriesRecord.properties.series_before,
  changes: SeriesRecord.properties.changes,
  created_at: nullable(Timestamp("When the series was accepted.")),
  finished_at: nullable(Timestamp("When it reached a final state.")),
  conclusion: oneOf(CONCLUSIONS, {
    description: "What the trials show and all stored trials of the same comparison confirm.",
  }),
  undecided_by: UndecidedBy,
  control: GivenName("Id of the arm that the other one, the candidate, is compared with."),
  result: nullable(SeriesResult, { description: "Null while no trial counts." }),
  gate: Gate,
  gate_reasons: GateReasons,
  like_these: nullable(LikeThese, { description: "Null while no round is complete." }),
  gate_like_these: GateLikeThese,
  headline: Headline,
  counts: SeriesCounts,
  decided_by: record(
    "SeriesDeciders",
    Object.fromEntries(DECIDERS.map((decider) => [decider, Count("Counted trials.")])) as Record<
      (typeof DECIDERS)[number],
      ReturnType<typeof Count>
    >,
  ),
  missing_by: record("MissingBy", {
    a: Count("Only arm a's run broke."),
    b: Count("Only arm b's run broke."),
    both: Count("Both arms' runs broke."),
    judge: Count("The judging, or something other than the arms."),
  }),
  forecast: record("SeriesForecast", {
    trials_left: nullable(Count("Trials of the plan that can still count; null for stored runs.")),
    chance_of_claim: nullable(
      Share("In the remaining trials. Before any trial, that neither arm is preferred is as likely as that one is."),
    ),
    chance_of_conclusion: nullable(Share("A claim, or what else `--stop-at` waits for.")),
    more_trials: nullable(
      Type.Integer({ minimum: 0, description: "Further trials until a claim, if they split the same way." }),
    ),
    cost_usd: nullable(Type.Number({ minimum: 0 }), { description: "Of those." }),
    unknown_because: Type.Optional(
      Type.Literal("clusters", {
        description:
          "Rows of a cluster count as their mean, of which nobody can say how many more would be enough: `chance_of_claim`, `chance_of_conclusion`, `more_trials` here and `needs` of every gate reason are null. Absent: trials count for themselves.",
      }),
    ),
  }),
  earlier: nullable(Earlier, { description: "Of a series of one scenario; in a suite each scenario has its own." }),
  since: Type.Optional(
    Type.String({
      description: "The series from which on all stored trials say most. Absent: the first, or the only one.",
    }),
  ),
  ledger: SeriesLedger,
  scenarios: Type.Array(SeriesScenario),
  columns: SeriesRecord.properties.columns,
  repeated_rows: SeriesRecord.properties.repeated_rows,
  groups: Type.Optional(
    Type.Array(SeriesGroup, {
      description: "Rows grouped by the column given as `by`; they describe, and claim nothing.",
    }),
  ),
  rounds: Count("Complete rounds."),
  mixed: Type.Boolean({ description: "One scenario claims a, another b." }),
  arms: record("SeriesArms", { a: SeriesArm, b: SeriesArm }),
  efficiency: Efficiency,
  cost_ratio: nullable(Type.Number({ minimum: 0 }), {
    description: "Cost of a over cost of b, where both are known.",
    deprecated: true,
  }),
  judge: record("SeriesJudge", {
    model: nullable(Type.String(), { description: "Null for imported results, which were not judged." }),
    cost_usd: Usd,
  }),
  cost_usd: record(
    "SeriesCost",
    {
      total: Usd,
      per_trial: Usd,
      to_claim: Usd,
      price_date: PriceDate,
      at_least: Type.Optional(
        record(
          "SeriesAtLeast",
          { cost_usd: Type.Number({ minimum: 0 }), why: Type.String({ description: "Why the rest is not known." }) },
          { description: "Of the total. Absent: all of it is known, or nothing." },
        ),
      ),
    },
    { description: "Arms and verdicts of the trials that ended; to_claim: of those the claim was made with." },
  ),
  descriptive: record(
    "SeriesDescriptive",
    {
      sign_p: nullable(Share("Exact two-sided sign test.")),
      wilson: nullable(Rate),
      by_scenario: nullable(
        record("ByScenario", {
          mean: Type.Number({ minimum: -1, maximum: 1, description: "Of the scenarios' (wins - losses) / trials." }),
          low: Type.Number({ description: "95%, Student's t." }),
          high: Type.Number({ description: "95%, Student's t." }),
          ahead: Count("Scenarios in which a is ahead."),
        }),
        { description: "For scenarios like these; from five on." },
      ),
    },
    { description: "Only describes; null unless the series ran all its trials without --stop-when-sure." },
  ),
  flags: Type.Array(oneOf(SERIES_FLAGS)),
  flag_counts: FlagCounts,
  inputs_from_checkout: InputsFromCheckout,
  model_changes: Type.Array(
    record("ModelChange", {
      scenario: Slug(),
      input: Type.Optional(InputId),
      trial: Type.Integer({ minimum: 1, description: "The first trial that another model served." }),
      who: oneOf([...SIDES, "judge"]),
      from: Type.String(),
      to: Type.String(),
    }),
    { description: "For each scenario the first change of each served model." },
  ),
  statement: Type.String({ description: "Plain sentences; claims no more than these trials." }),
  trials: Type.Array(SeriesTrial, { description: "In the order of creation." }),
  omitted: Type.Optional(
    record(
      "SeriesOmitted",
      { scenarios: Count("Of `scenarios`."), trials: Count("Of `trials`.") },
      {
        description:
          "How many of the last ones a long answer leaves out; `/api/series/{id}/members` has them. Absent: none.",
      },
    ),
  ),
});
export type Series = Static<typeof Series>;

/** A page of a long series. */
export const SeriesMembers = record("SeriesMembers", {
  total: Count("Scenarios in all."),
  scenarios: Series.properties.scenarios,
  rows: Type.Array(GridRow, { description: "The same in this order, with what each arm left in one of their trials." }),
  trials: Type.Array(SeriesTrial, { description: "Of these scenarios, in the order of creation." }),
  next_after: nullable(Type.Integer({ minimum: 1 }), { description: "`after` of the next page; null: there is none." }),
});
export type SeriesMembers = Static<typeof SeriesMembers>;
