import { type Static, Type } from "@sinclair/typebox";
import { ArmNotes } from "./arm-notes.ts";
import { Decision } from "./decision.ts";
import { BudgetUse, Changes, ProbeResult, ReferenceFixScore, RequiredResult, Violation } from "./evidence.ts";
import { AgentRun } from "./external-agent.ts";
import { FAILURE_CODES } from "./failure.ts";
import { PriceDate } from "./price-list.ts";
import { ImportedFrom } from "./ran.ts";
import { Scenario, ScenarioInput } from "./scenario.ts";
import { Count, Digest, described, ModelRef, nullable, oneOf, record, Slug, Timestamp, UserName } from "./schema.ts";
import { SessionSettings } from "./session-settings.ts";
import { STATES } from "./session-state.ts";
import { SkillUse } from "./skill.ts";
import { ArmPointer, Verdict } from "./verdict.ts";
import { Vote } from "./vote.ts";

export { isFinal, type SessionState, STATES } from "./session-state.ts";

export const SessionId = Type.String({
  pattern: "^session-[A-Za-z0-9._-]+-\\d{8}T\\d{9}Z$",
  description: "`session-<scenario>-<yyyymmddThhmmssmmmZ>`.",
});

/** The id of a session ends with the moment of its creation, written so. */
export const idTime = (at: string): string => at.replace(/[-:.]/g, "");

export const ARM_STATUSES = [
  "pending",
  "running",
  "finished",
  "limit_reached",
  "disqualified",
  "failed",
  "cancelled",
] as const;
export type ArmStatus = (typeof ARM_STATUSES)[number];

const Tokens = (description: string) => nullable(Type.Integer({ minimum: 0 }), { description });

export const AtLeast = record(
  "AtLeast",
  {
    tokens_in: Count("What is known of it."),
    tokens_out: Count("What is known of it."),
    cost_usd: nullable(Type.Number({ minimum: 0 }), { description: "Null without a price." }),
    why: Type.String({ description: "Why the rest is not known." }),
  },
  { description: "What was used at the very least. Absent: all of it is known." },
);
export type AtLeast = Static<typeof AtLeast>;

export const OtherModel = record("OtherModel", {
  model: Type.String({ description: "`<provider>/<model>`, as it was asked for." }),
  calls: Count("Replies."),
  tokens_in: Tokens("Null when a reply's usage is unknown."),
  tokens_out: Tokens("Null when a reply's usage is unknown."),
  cost_usd: nullable(Type.Number({ minimum: 0 }), { description: "Null without its price or its usage." }),
});
export type OtherModel = Static<typeof OtherModel>;

export const ArmSummary = record("ArmSummary", {
  arm_id: Slug(),
  title: Type.String(),
  model: ModelRef,
  model_served: nullable(Type.String(), { description: "Model id the provider said it used." }),
  status: oneOf(ARM_STATUSES),
  stop_reason: nullable(Type.String()),
  error: nullable(Type.String()),
  turns: Count("Model turns."),
  tool_calls: Count("Tool calls, refused ones included."),
  tokens_in: Tokens("All input, cache reads and writes included; null when a turn's usage is unknown."),
  tokens_out: Tokens("Null when a turn's usage is unknown."),
  cached_tokens: Tokens("Cache reads within tokens_in."),
  cache_write_tokens: Type.Optional(Tokens("Cache writes within tokens_in; absent where none are counted apart.")),
  cache_write_1h_tokens: Type.Optional(Count("Within cache_write_tokens: kept for an hour. Absent: none.")),
  cost_usd: nullable(Type.Number({ minimum: 0 }), { description: "Null without prices or usage." }),
  price_date: PriceDate,
  at_least: Type.Optional(AtLeast),
  other_models: Type.Optional(
    Type.Array(OtherModel, {
      description: "Models other than the arm's own that an external agent called for side tasks. Absent: none.",
    }),
  ),
  wall_ms: Count("From the arm's start to its end, less stalled_ms."),
  working_ms: Count("wall_ms less throttled_ms."),
  throttled_ms: Count(
    "Lost to failed provider requests, the waits after them, and waits for a place among all provider calls.",
  ),
  stalled_ms: Type.Optional(
    Count("Time in which abeval itself was paused; no other figure includes it. Absent: it was not."),
  ),
  log_cut: Type.Optional(
    Type.Literal(true, { description: "Its decisions reached 64 MiB: later ones have no texts, inputs and outputs." }),
  ),
  final_answer: nullable(Type.String({ description: "The last one." })),
  answers: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "To the task and to each follow-up, in order, as far as it came. Absent: the task has no follow-ups.",
    }),
  ),
  replies_digest: Type.Optional(
    Digest(
      "SHA-256 over what the model said and called, in order: texts, tool names and inputs, uncut. Not over outputs, times, " +
        "ids and costs. Absent until the arm has ended, and in sessions of 0.1.6 and before.",
    ),
  ),
  changes: nullable(Changes),
  probe: nullable(ProbeResult),
  violations: Type.Array(Violation),
  required: Type.Array(RequiredResult),
  reference_fix: nullable(ReferenceFixScore),
  budget: Type.Array(BudgetUse),
  agent: Type.Optional(AgentRun),
  imported: Type.Optional(ImportedFrom),
  shared: Type.Optional(
    described(ArmPointer, "Where the arm ran: other sessions of its round show the same run. Absent: it ran here."),
  ),
  skills_used: Type.Optional(Type.Array(SkillUse, { description: "Skills that it read. Absent: none is known of." })),
  notes: Type.Optional(ArmNotes),
  notes_changed: Type.Optional(
    Type.Array(Type.String(), {
      description: "Of the arm's own files, those that it changed or removed. Absent: none.",
    }),
  ),
});
export type ArmSummary = Static<typeof ArmSummary>;

/** All that the arm answered, as checks see it; null without an answer. */
export const wholeAnswer = ({ answers, final_answer }: Pick<ArmSummary, "answers" | "final_answer">): string | null =>
  answers && answers.length > 0 ? answers.join("\n\n") : final_answer;

export const STAGES = ["queued", "preparing", "running", "probing", "judging", "saving"] as const;
export type Stage = (typeof STAGES)[number];

/** `series-<yyyymmddThhmmssmmmZ>-<8 hex>`; the stored trials of a comparison are a series too: `cmp-<its digest>`. */
export const SeriesId = Type.String({
  pattern: "^series-\\d{8}T\\d{9}Z-[0-9a-f]{8}$",
  description: "`series-<yyyymmddThhmmssmmmZ>-<8 hex>`.",
});

export const TrialPlace = record(
  "TrialPlace",
  {
    series_id: SeriesId,
    trial: Type.Integer({ minimum: 1, description: "Number in the series, in the order of creation." }),
    round: Type.Integer({ minimum: 1, description: "A round holds one trial of each scenario." }),
    pair: Type.Optional(Count("Place in the pairs of its contest, from 0. Absent: two arms are compared.")),
  },
  { description: "Which trial of which series a run is." },
);
export type TrialPlace = Static<typeof TrialPlace>;

export const SessionFailure = record("SessionFailure", {
  stage: oneOf(STAGES),
  class: oneOf(["infra", "agent", "user"]),
  code: oneOf(FAILURE_CODES),
  message: Type.String(),
  retryable: Type.Boolean({ description: "The same request may succeed later, unchanged." }),
});
export type SessionFailure = Static<typeof SessionFailure>;

export const Fairness = record("Fairness", {
  declared: Type.Array(Type.String(), { description: "Fields in which the arms were set up to differ." }),
  observed: Type.Array(Type.String(), { description: "What else differed: served model, throttling, start skew." }),
  apart: Type.Optional(Type.Literal(true, { description: "One stopped before the other began." })),
});

export const SessionTotals = record("SessionTotals", {
  tokens_in: Tokens("Arms and judge."),
  tokens_out: Tokens("Arms and judge."),
  cost_usd: nullable(Type.Number({ minimum: 0 })),
  wall_ms: nullable(Type.Integer({ minimum: 0 })),
  at_least: Type.Optional(AtLeast),
});
export type SessionTotals = Static<typeof SessionTotals>;

const LostAttempt = record(
  "LostAttempt",
  {
    started_at: Timestamp("When it left the queue."),
    lost_at: Timestamp("When the session began again, or was handed back."),
    tokens_in: Tokens("Arms and judge."),
    tokens_out: Tokens("Arms and judge."),
    cost_usd: nullable(Type.Number({ minimum: 0 })),
    killed_from_outside: Type.Optional(
      Type.Literal(true, {
        description: "What it ran was ended from outside. Absent: its process was lost, or stopped.",
      }),
    ),
    process_lost: Type.Optional(
      Type.Literal(true, {
        description: "Its process ended, or was cut off, without a word. Absent: it was handed back.",
      }),
    ),
  },
  {
    description:
      "A run whose process was lost, or stopped, before its end. What it used is in the totals, and nowhere else.",
  },
);
export type LostAttempt = Static<typeof LostAttempt>;

export const EvidenceDigests = record(
  "EvidenceDigests",
  {
    common: Digest("Of task, hidden checks, policies and sandbox."),
    arms: Type.Array(Digest("Of an arm as it runs, with its installs."), { minItems: 2, maxItems: 2 }),
  },
  { description: "What runs must share for an arm of one to stand in another: the judging is new. Absent in 0.1.6." },
);
export type EvidenceDigests = Static<typeof EvidenceDigests>;

const SessionOutcomeSchema = record("SessionOutcome", {
  session_id: SessionId,
  scenario: Slug(),
  input: Type.Optional(ScenarioInput),
  scenario_digest: Digest("SHA-256 over the resolved definition and the bytes it refers to."),
  state: oneOf(STATES),
  created_at: Timestamp("When the session was accepted."),
  started_at: nullable(Timestamp("When it left the queue.")),
  finished_at: nullable(Timestamp("When it reached a final state.")),
  request: record("SessionRequest", {
    model_override: nullable(ModelRef),
    judge_model: nullable(Type.String()),
    single: Type.Optional(Type.Literal(true, { description: "This one run may open a gate. Absent: it opens none." })),
  }),
  definition: Scenario,
  settings: SessionSettings,
  arms: Type.Array(ArmSummary, { minItems: 2, maxItems: 2 }),
  decisions: Type.Record(Type.String(), Type.Array(Decision), { description: "Decision logs by arm id." }),
  verdict: nullable(Verdict),
  verdicts: Type.Array(Verdict, { description: "Rejudges, oldest first." }),
  fairness: Fairness,
  totals: SessionTotals,
  failure: nullable(SessionFailure),
  version: Type.String({ description: "Version of abeval that ran it." }),
  comparison: Type.Optional(
    Digest("What is compared with what, by which judge: equal for runs that repeat each other. Absent in 0.1."),
  ),
  evidence_digests: Type.Optional(EvidenceDigests),
  planned_anew: Type.Optional(
    Type.String({ description: "The protocols by which it ran, where a version with others had accepted it." }),
  ),
  trial: Type.Optional(TrialPlace),
  user: Type.Optional(UserName),
  votes: Type.Optional(Type.Array(Vote, { description: "Of people, oldest first. Absent: none." })),
  lost_attempts: Type.Optional(
    Type.Array(LostAttempt, { description: "Oldest first; absent when the first attempt is the one that counts." }),
  ),
});
export type SessionOutcome = Omit<Static<typeof SessionOutcomeSchema>, "arms" | "definition"> & {
  arms: [ArmSummary, ArmSummary];
  definition: Scenario;
};
export const SessionOutcome = Type.Unsafe<SessionOutcome>(SessionOutcomeSchema);
