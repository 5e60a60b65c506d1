import { type Static, Type } from "@sinclair/typebox";
import { GridRow } from "./cell.ts";
import { CONTEST_MODES } from "./contest-plan.ts";
import { Efficiency } from "./efficiency.ts";
import { Gate, GateReasons } from "./pipeline-gate.ts";
import { GivenName } from "./results.ts";
import { InputId } from "./scenario.ts";
import { Count, described, nullable, oneOf, record, Share } from "./schema.ts";
import { Series, SeriesMembers } from "./series.ts";
import { Usd } from "./series-arm.ts";
import { SERIES_MEASURES, SeriesRecord } from "./series-record.ts";
import { LikeThese, SeriesResult } from "./series-result.ts";
import { SessionId, STATES } from "./session.ts";

const STATUSES = ["control", "candidate", "out", "best_set"] as const;

const ArmId = GivenName("Arm id.");

const ContestArm = record("ContestArm", {
  arm_id: ArmId,
  result: nullable(SeriesResult, {
    description: "Against the control. Null for the control, without one, and while no trial of the two counts.",
  }),
  value: nullable(Share("Solved share, or mean score, of its trials that count."), {
    description: "Null for `preferred`, and while none counts.",
  }),
  lead: nullable(
    Type.Number({
      minimum: -1,
      maximum: 1,
      description: "Mean of its differences to the arms that it is compared with; arms are sorted by it.",
    }),
    { description: "Null while no trial counts." },
  ),
  claim: nullable(oneOf(["better", "not_worse", "worse"]), {
    description:
      "What is shown of it against the control, together with all that is shown of others at once. Null: nothing, or there is no control.",
  }),
  gate: nullable(oneOf(["better", "not_worse"]), { description: "As in `gate`." }),
  status: oneOf(STATUSES, {
    description:
      "`out`: some other arm is better; `best_set`: one of these is the best; `candidate`: against a control.",
  }),
  out_at_round: nullable(Type.Integer({ minimum: 1 }), {
    description:
      "The complete round after which it left, or enough was known of it. What stopped at a good moment looks too good, or too bad: rely on the range.",
  }),
  settled: Type.Boolean({ description: "It needs no further run." }),
  rank: Type.Array(Type.Integer({ minimum: 1 }), {
    minItems: 2,
    maxItems: 2,
    description: "Best and worst rank that the trials leave open; the ranks of all arms hold together.",
  }),
  cost: record(
    "ContestArmCost",
    { mean: Usd, total: Usd },
    { description: "Of its runs, each once; judging is in none." },
  ),
  trials: Count("Its runs that count, each once."),
  fdr: Type.Optional(
    nullable(oneOf(["better", "worse"]), {
      description: "What is told where a share of 5% of all such claims may be false. Absent: not asked for.",
    }),
  ),
  like_these: Type.Optional(
    nullable(LikeThese, { description: "Against the control, at the last look while both ran. Absent: no control." }),
  ),
  efficiency: Type.Optional(described(Efficiency, "Against the control. Absent: there is none.")),
});
export type ContestArm = Static<typeof ContestArm>;

const ContestPairResult = record("ContestPairResult", {
  arms: Type.Array(ArmId, { minItems: 2, maxItems: 2 }),
  result: nullable(SeriesResult, { description: "Of the second arm against the first. Null: no trial counts." }),
  claim: nullable(ArmId, { description: "The arm that is shown to be better, together with all other claims." }),
  rounds: Count("Its complete rounds."),
});

/** A run of two arms, or of a table the results of all arms in a trial. */
export const ContestTrial = record("ContestTrial", {
  trial: Type.Integer({ minimum: 1 }),
  round: Type.Integer({ minimum: 1 }),
  scenario: GivenName("Name of the scenario."),
  input: Type.Optional(InputId),
  session_id: Type.Optional(Type.String({ ...SessionId, description: "Absent for imported results." })),
  pair: Type.Optional(Count("Place in `pairs`, from 0. Absent for imported results.")),
  results: Type.Optional(
    Type.Record(Type.String(), nullable(Share("0 to 1.")), {
      description: "Imported, by arm: 1 passed, 0 did not, or the score; null where the table has none.",
    }),
  ),
  state: oneOf(STATES),
  failure: nullable(Type.String({ description: "Why it failed or was cancelled." })),
  winner: nullable(ArmId, { description: "Of the pair; null: none, or imported." }),
  counted: Type.Boolean({ description: "Part of the statistics." }),
  cost_usd: Usd,
});
export type ContestTrial = Static<typeof ContestTrial>;

const { series_id, protocol, state, stop, failure, plan, plan_digest, imported, levels, limits } = Series.properties;
const { changes, created_at, finished_at, ledger, rounds, judge, flags, omitted } = Series.properties;

export const Contest = record("Contest", {
  series_id,
  kind: Type.Literal("contest"),
  ...{ protocol, state, stop, failure, plan, plan_digest, imported, levels, limits, changes, created_at, finished_at },
  measure: oneOf(SERIES_MEASURES),
  contest: record("ContestStanding", {
    mode: oneOf(CONTEST_MODES),
    control: nullable(ArmId, { description: "The arm that the others are compared with." }),
    keep_running: Type.Optional(Type.Literal(true)),
    arms: Type.Array(ContestArm, { description: "The best first, as far as the trials show it." }),
    pairs: Type.Array(ContestPairResult, { description: "In the order of the plan." }),
    cycles: Type.Optional(
      Type.Array(Type.Array(ArmId), {
        description: "Each arm is shown to be better than the next one, and the last than the first. Absent: none.",
      }),
    ),
  }),
  gate: Gate,
  gate_reasons: GateReasons,
  rounds,
  members: Count("Its scenarios; of one with inputs, each row that runs."),
  judge,
  cost_usd: record("ContestCost", {
    total: Usd,
    price_date: Series.properties.cost_usd.properties.price_date,
    at_least: Series.properties.cost_usd.properties.at_least,
  }),
  ledger,
  flags,
  inputs_from_checkout: SeriesRecord.properties.inputs_from_checkout,
  statement: Type.String({ description: "Plain sentences; claims no more than these trials." }),
  trials: Type.Array(ContestTrial, { description: "In the order of creation." }),
  omitted,
});
export type Contest = Static<typeof Contest>;

/** A page of a long contest. */
export const ContestMembers = record("ContestMembers", {
  total: SeriesMembers.properties.total,
  rows: Type.Array(GridRow, {
    description: "Its rows in the order of the plan, with what each arm left in one round.",
  }),
  trials: Type.Array(ContestTrial, { description: "Of these rows, in the order of creation." }),
  next_after: SeriesMembers.properties.next_after,
});
export type ContestMembers = Static<typeof ContestMembers>;

export const isContest = <S extends { readonly kind: string }>(report: S | Contest): report is Contest =>
  report.kind === "contest";
