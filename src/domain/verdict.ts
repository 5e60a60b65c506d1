import { type Static, Type } from "@sinclair/typebox";
import { InputsFromCheckout } from "./checkout-input.ts";
import { Facts } from "./evidence.ts";
import { Gate, GateReasons } from "./pipeline-gate.ts";
import { PriceDate } from "./price-list.ts";
import { Count, Digest, nullable, oneOf, record, Share, Slug, Timestamp } from "./schema.ts";
import { SeriesSummary } from "./series-summary.ts";

export const ArmPointer = record("ArmPointer", {
  session_id: Type.String({ pattern: "^session-[A-Za-z0-9._-]+$" }),
  arm_id: Slug(),
});
export type ArmPointer = Static<typeof ArmPointer>;

export const OUTCOMES = ["winner", "tie", "inconclusive", "inconsistent", "invalid"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const SIDES = ["a", "b"] as const;
export type Side = (typeof SIDES)[number];

/** Orders of presentation, by the arm that is shown first. */
export const ORDERS = ["ab", "ba"] as const;
export type Order = (typeof ORDERS)[number];

export const DECIDERS = ["gate", "probe", "judge", "measured", "none"] as const;
export type Decider = (typeof DECIDERS)[number];

export const CONFIDENCES = ["high", "medium", "low", "none"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

export const KINS = [...SIDES, "both"] as const;
/** The arms whose model and the judge, or most of a panel, have one maker. */
export type Kin = (typeof KINS)[number];

export const KinOf = Type.Optional(
  oneOf(KINS, {
    description: "Arms whose model has the judge's maker. Absent: none is known.",
  }),
);

export const FLAGS = [
  "truncated",
  "truncated_core",
  "injection_suspected",
  "injection_effective",
  "self_family",
  "panel_one_family",
  "scenario_drift",
  "judge_probe_conflict",
  "score_preference_conflict",
  "prose_decided",
  "prose_only",
  "unconfirmed",
  "citations_dropped",
  "judge_invalid",
  "judge_context_too_small",
  "judge_failed_self_test",
  "no_contrast",
  "cost_cap_inactive",
  "cost_limit_reached",
  "arm_cost_limited",
  "imported_arm",
  "endpoint_arm",
  "arm_unversioned",
  "other_models",
  "rules_not_seen",
  "stalled",
  "log_cut",
  "arm_crashed",
  "check_could_not_run",
  "equal_work",
  "check_not_repeatable",
  "no_objective_check",
  "single_trial",
  "inputs_from_checkout",
  "exploratory_rejudge",
  "replayed",
  "replayed_and_live",
  "identity_redacted",
  "identity_in_changes",
  "different_agents",
  "neither_solved",
  "both_disqualified",
] as const;
export type Flag = (typeof FLAGS)[number];

const Signed = (description: string) => Type.Number({ minimum: -1, maximum: 1, description });

export const Citation = record("Citation", {
  side: oneOf(SIDES),
  kind: oneOf(["decision", "diff", "probe", "answer"]),
  ref: Type.String({ description: "Decision seq, `path[:line]`, probe check id, or `final`." }),
  quote: Type.String({ maxLength: 160 }),
});
export type Citation = Static<typeof Citation>;

export const CriterionScore = record("CriterionScore", {
  id: Slug(),
  kind: oneOf(["judged", "measured"]),
  weight: Type.Number({ minimum: 0 }),
  score_a: nullable(Share("Mean over both orders; null when unknown.")),
  score_b: nullable(Share("Mean over both orders; null when unknown.")),
  gap: nullable(Signed("score_a - score_b.")),
  position_gap: nullable(Signed("Positive: the arm shown first was favoured.")),
  supported: Type.Boolean({ description: "False: leaves the weighted sum for both arms." }),
  note: Type.String(),
  evidence: Type.Array(Citation),
});
export type CriterionScore = Static<typeof CriterionScore>;

const CallScore = record("CallScore", {
  id: Slug(),
  score_a: Type.Integer({ minimum: 0, maximum: 4 }),
  score_b: Type.Integer({ minimum: 0, maximum: 4 }),
  note_a: Type.String(),
  note_b: Type.String(),
  supported: Type.Boolean({ description: "Both candidates had at least one valid citation." }),
});

export const JudgeCall = record("JudgeCall", {
  judge: Type.Optional(Type.String({ description: "Of a panel: the model that was asked." })),
  order: oneOf(ORDERS, { description: "Which arm was shown first." }),
  masked: Type.Boolean({
    description: "Masked repetition, without the arms' own words (`swapped-pair/1`: without suspected lines).",
  }),
  valid: Type.Boolean(),
  label: nullable(oneOf(["a", "b", "tie"]), { description: "Computed by code from the scores; null when invalid." }),
  gap: nullable(Signed("Weighted score gap, arm frame.")),
  preference: nullable(oneOf(["a", "b", "tie"]), { description: "What the judge said it prefers." }),
  strength: nullable(oneOf(["none", "slight", "clear", "decisive"])),
  scores: Type.Array(CallScore),
  concerns: Type.Array(Type.String()),
  injection_suspected: Type.Boolean(),
  rationale: Type.String(),
  attempts: Type.Integer({ minimum: 1 }),
  citations_invalid: Count("Citations dropped because nothing shown supports them."),
  tokens_in: nullable(Type.Integer({ minimum: 0 })),
  tokens_out: nullable(Type.Integer({ minimum: 0 })),
  latency_ms: Count("Milliseconds, re-asks included."),
  model_served: nullable(Type.String()),
  error: nullable(Type.String(), { description: "Why the call is invalid." }),
});
export type JudgeCall = Static<typeof JudgeCall>;

export const Suspicion = record(
  "Suspicion",
  {
    side: oneOf(SIDES),
    arm_id: Slug(),
    where: nullable(Type.String({ maxLength: 260 }), {
      description: "`diff src/pager.ts`, `decision 3`, `answer final`; null: the arm's words as a whole.",
    }),
    quote: nullable(Type.String({ maxLength: 160 }), { description: "The line; null when no line was named." }),
    found_by: oneOf(["scan", "judge", "second_hearing"]),
    judge: Type.Optional(Type.String({ description: "Of a panel: the model that suspects." })),
  },
  { description: "Text that may address the judge." },
);
export type Suspicion = Static<typeof Suspicion>;

export const Sensitivity = record("Sensitivity", {
  flip_distance: nullable(Type.Number({ minimum: 0, maximum: 1 }), {
    description: "Least share of total weight that must move between criteria to change the outcome; null: none does.",
  }),
  leave_one_out: Type.Array(
    record("LeaveOneOut", {
      criterion: Slug(),
      outcome: oneOf(OUTCOMES),
      winner_side: nullable(oneOf(SIDES)),
    }),
  ),
});
export type Sensitivity = Static<typeof Sensitivity>;

export const PanelMember = record(
  "PanelMember",
  {
    model: Type.String(),
    model_served: nullable(Type.String()),
    outcome: oneOf(OUTCOMES, { description: "What this judge alone finds, before hidden checks and rules decide." }),
    vote: nullable(Type.Integer({ minimum: -1, maximum: 1 }), {
      description:
        "1 for arm a, -1 for arm b, 0 for neither; null: it gave no usable answer, which counts against a winner.",
    }),
    lean_side: nullable(oneOf(SIDES)),
    score_gap: nullable(Signed("score_a - score_b.")),
    cost_usd: nullable(Type.Number({ minimum: 0 })),
  },
  { description: "One judge of a panel." },
);
export type PanelMember = Static<typeof PanelMember>;

export const Verdict = record("Verdict", {
  verdict_id: Type.String(),
  created_at: Timestamp("When the verdict was complete."),
  kind: oneOf(["run", "rejudge", "cross_session"]),
  scenario: Slug(),
  input: Type.Optional(
    Type.String({ description: "Id of the row of its inputs. Absent: it has none, or two rows are compared." }),
  ),
  scenario_digest: Digest("Digest of the definition that supplied rubric and reference."),
  arm_a: ArmPointer,
  arm_b: ArmPointer,
  outcome: oneOf(OUTCOMES),
  winner: nullable(Slug(), { description: "Arm id; only when outcome is `winner`." }),
  winner_side: nullable(oneOf(SIDES)),
  lean: nullable(Slug(), { description: "Arm id an inconclusive verdict leans to." }),
  lean_side: nullable(oneOf(SIDES), { description: "Its side: across sessions both arms may have one id." }),
  gate: Gate,
  gate_reasons: GateReasons,
  decided_by: oneOf(DECIDERS),
  confidence: oneOf(CONFIDENCES),
  score_a: nullable(Share("Weighted score, supported criteria only.")),
  score_b: nullable(Share("Weighted score, supported criteria only.")),
  score_gap: nullable(Signed("score_a - score_b.")),
  net_vote: nullable(Signed("Mean label of both orders, +1 for arm a.")),
  agreement: nullable(Share("Share of valid calls with the final label.")),
  position_pull: nullable(Signed("Half the difference of the two orders' labels.")),
  criteria: Type.Array(CriterionScore),
  sensitivity: nullable(Sensitivity),
  facts: record("FactsPair", { a: Facts, b: Facts }),
  judge: record("JudgeIdentity", {
    model: Type.String({ description: "`<provider>/<model>`, or `panel(...)` with those of its members." }),
    model_served: nullable(Type.String()),
    protocol: Type.String({ description: "Version of the judging protocol." }),
    kin_of: KinOf,
    prompt_digest: nullable(Digest("SHA-256 of the fixed parts of the judge's prompt; null when no model was asked.")),
    members: Type.Optional(
      Type.Array(PanelMember, { description: "Of a panel that was asked; absent for one judge." }),
    ),
  }),
  calls: Type.Array(JudgeCall),
  usage: record("JudgeUsage", {
    tokens_in: nullable(Type.Integer({ minimum: 0 })),
    tokens_out: nullable(Type.Integer({ minimum: 0 })),
    cost_usd: nullable(Type.Number({ minimum: 0 })),
    price_date: PriceDate,
    latency_ms: Count("Wall time of judging, milliseconds."),
  }),
  flags: Type.Array(oneOf(FLAGS)),
  inputs_from_checkout: InputsFromCheckout,
  suspicions: Type.Optional(
    Type.Array(Suspicion, { description: "Whose words, and where; absent in verdicts of 0.1." }),
  ),
  rationale: Type.String({ description: "The judge's own reasons, or how the gate decided." }),
  statement: Type.String({ description: "One or two plain sentences; claims no more than these runs." }),
  scope: Type.Optional(
    Type.String({ description: "The end of the statement: what limits its finding. Absent in verdicts of 0.1." }),
  ),
  series: nullable(SeriesSummary, { description: "The series that the run was a trial of; null: it was none." }),
});
export type Verdict = Static<typeof Verdict>;
