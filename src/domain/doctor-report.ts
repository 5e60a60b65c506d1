import { type Static, Type } from "@sinclair/typebox";
import { CONTEST_MODES } from "./contest-plan.ts";
import { Count, nullable, oneOf, record, Share, Slug } from "./schema.ts";
import { NotWorseBy, SERIES_MEASURES } from "./series-record.ts";

export const DoctorCheck = record("DoctorCheck", {
  id: Type.String({ description: "Stable; ids of scenario checks begin with what they look at." }),
  scope: oneOf(["environment", "scenario"]),
  status: oneOf(["pass", "warn", "fail", "skip"]),
  title: Type.String(),
  detail: nullable(Type.String(), { description: "What was found." }),
  hint: nullable(Type.String(), { description: "What to do about it." }),
  duration_ms: Count("Milliseconds the check took."),
});
export type DoctorCheck = Static<typeof DoctorCheck>;

const Usd = (description: string) => nullable(Type.Number({ minimum: 0 }), { description });
const Chance = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1 }), { description });

const ContestEstimate = record(
  "ContestEstimate",
  {
    mode: oneOf(CONTEST_MODES),
    control: nullable(Type.String(), { description: "Null: each is compared with each, and nobody is the control." }),
    pairs: Count("What is compared in a round of one scenario or row."),
    arms: Type.Array(
      record("ContestArmEstimate", {
        arm_id: Type.String(),
        trials: Count("Its runs, where it never stops early."),
        likely_usd: Usd("Of its runs, where each is short; null without prices."),
        bound_usd: Usd("What its runs cannot exceed; null without prices."),
        chance_better: Chance(
          "As in the series, at least, whatever the others do; null for the control. In mode `best`: that it is told out, where the best one wins 8 of 10 against it.",
        ),
        chance_equal_passes: Chance("As in the series, at least; null for the control, and without one."),
      }),
    ),
  },
  { description: "Of three to eight arms. Absent: two." },
);
export type ContestEstimate = Static<typeof ContestEstimate>;

const SeriesEstimate = record("SeriesEstimate", {
  trials: Count("In all: as many as were asked for, of each scenario or row."),
  members: Count("Scenarios, or rows, of all files: a round runs each once."),
  clusters: Type.Optional(
    Count("Of the rows: in a round each counts once, and chances count them. Absent: rows count for themselves."),
  ),
  not_worse_by: Type.Optional(NotWorseBy),
  low_usd: Usd("Of all of them; null without prices."),
  high_usd: Usd("Of all of them; null without prices."),
  likely_usd: Usd("Where each run is short; null without prices."),
  bound_usd: Usd("What they cannot exceed; null without prices."),
  chances: Type.Array(
    record("ClaimChance", {
      win_share: Share("The share of decided trials that the better arm wins."),
      chance_of_claim: Share("The chance that a series that may stop early finds it."),
      mean_trials: Type.Number({
        minimum: 0,
        description: "Mean number of trials, or of clusters, until a claim or the end.",
      }),
    }),
    { description: "Where one trial in five has no winner." },
  ),
  chance_better: Share("The chance of a claim for a candidate that wins 8 of 10 decided trials."),
  chance_equal_passes: Chance(
    "That a candidate equal to the control passes the gate; null where it takes too long to compute, or nobody is the control.",
  ),
  contest: Type.Optional(ContestEstimate),
});

const SPENT = { likely_usd: Usd("Null without prices."), bound_usd: Usd("Null without prices.") };

export const CostEstimate = record("CostEstimate", {
  low_usd: Usd("As `likely_usd`, but never of earlier runs."),
  high_usd: Usd("As `bound_usd`."),
  likely_usd: Type.Optional(
    Usd(
      "Median of earlier runs, else of a short run; of three to eight arms of one of each. Null where neither is known.",
    ),
  ),
  bound_usd: Type.Optional(Usd("What a run is not to exceed; null without prices.")),
  low_tokens: Count("Both arms and the judge, a short run."),
  high_tokens: Count("Both arms at the end of their budgets, and the judge."),
  note: Type.String({ description: "How the figures were made." }),
  rows: Type.Optional(Count("Of its inputs; the other figures are of one row. Absent: it has none.")),
  measure: Type.Optional(
    oneOf(SERIES_MEASURES, { description: "Of a series of it: as asked for, else as its file says." }),
  ),
  control: Type.Optional(Type.String({ description: "Id of the arm that the candidate is compared with." })),
  round: Type.Optional(
    record(
      "RoundEstimate",
      {
        arms: Type.Array(record("RoundArmEstimate", { arm_id: Type.String(), ...SPENT })),
        judging: record("JudgingEstimate", SPENT, { description: "Of one pair." }),
      },
      { description: "Of three to eight arms: what one run of each may cost. Absent: two." },
    ),
  ),
  series: Type.Optional(SeriesEstimate),
});
export type CostEstimate = Static<typeof CostEstimate>;

export const DoctorReport = record("DoctorReport", {
  ok: Type.Boolean({ description: "False only when a check failed." }),
  scenario: nullable(Slug()),
  checks: Type.Array(DoctorCheck),
  estimate: nullable(CostEstimate),
});
export type DoctorReport = Static<typeof DoctorReport>;
