import { type Static, type TObject, Type } from "@sinclair/typebox";
import { SEVERITIES } from "./policies.ts";
import { Count, nullable, oneOf, record, Timestamp } from "./schema.ts";
import type { Effect } from "./tool.ts";

export const BUDGETS = [
  "turns",
  "tokens",
  "seconds",
  "tool_calls",
  "cost_usd",
  "context",
  "disk",
  "side_calls",
] as const;
export type BudgetName = (typeof BUDGETS)[number];

/** The conversation of an external agent. */
const Thread = Type.Integer({ minimum: 1, description: "The conversation it belongs to; 1 is the main one." });

const ModelTurnDetail = record("ModelTurnDetail", {
  stop_reason: Type.String(),
  tools: Type.Array(Type.String(), { description: "Names of the tools called, in order." }),
  cached_tokens: nullable(Type.Integer({ minimum: 0 })),
  text: Type.String({ description: "Cut at 4 kB." }),
  usage_unknown: Type.Optional(Type.Literal(true, { description: "The provider reported no usable token counts." })),
  cache_write_tokens: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
  cache_write_1h_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
  thread: Type.Optional(Thread),
  side: Type.Optional(Type.Literal(true, { description: "A side call that offered no tools." })),
  model: Type.Optional(Type.String({ description: "The model that was called in place of the arm's own." })),
});

const ToolCallDetail = record("ToolCallDetail", {
  tool: Type.String(),
  effect: Type.Optional(
    oneOf(["read", "write", "command", "opaque"] as const satisfies readonly Effect[], {
      description: "What the tool can do; absent when the arm has no such tool, and in sessions of 0.1.6 and before.",
    }),
  ),
  input: Type.String({ description: "JSON, cut at 4 kB." }),
  ok: Type.Boolean(),
  exit_code: nullable(Type.Integer(), { description: "Null unless a command ended by itself." }),
  output: Type.String({ description: "Cut at 4 kB." }),
  bytes: Count("Bytes of the whole output."),
  thread: Type.Optional(Thread),
  own_tool: Type.Optional(Type.String({ description: "What an external agent calls the tool." })),
  skill: Type.Optional(
    Type.String({
      description:
        "The skill that the call asked for by name or path; absent when it asked for none. `skills_used` of an arm has those that it read.",
    }),
  ),
  unchecked: Type.Optional(
    Type.Literal(true, { description: "It is not known what the call does, so no rule was applied to it." }),
  ),
});

const PolicyBlockDetail = record("PolicyBlockDetail", {
  rule: Type.String({ description: "The rule that refused it, as the scenario writes it." }),
  tool: Type.String(),
  input: Type.String({ description: "JSON, cut at 4 kB." }),
});

const PolicyViolationDetail = record("PolicyViolationDetail", {
  rule: Type.String(),
  severity: oneOf(SEVERITIES),
  subject: Type.String({ description: "The path or command." }),
});

const LimitDetail = record("LimitDetail", {
  budget: oneOf(BUDGETS),
  used: nullable(Type.Number(), { description: "Null for `context` and `disk`: only that they are full is known." }),
  limit: nullable(Type.Number()),
});

const ProviderRetryDetail = record("ProviderRetryDetail", {
  status: nullable(Type.Integer(), { description: "HTTP status of the failed request; null when there was none." }),
  attempts: Type.Integer({ minimum: 1, description: "Requests so far." }),
  waited_ms: Count("Time lost to this request and the wait after it."),
});

const FinalAnswerDetail = record("FinalAnswerDetail", { text: Type.String({ description: "Cut at 4 kB." }) });

const FollowUpDetail = record("FollowUpDetail", {
  number: Type.Integer({ minimum: 1, description: "Of the task's follow-ups." }),
  text: Type.String({ description: "What the user says, cut at 4 kB." }),
});

/** The code of an error that is about a program of the arm's own. Its message names the program, which no judge may read. */
export const PROGRAM_ENDED = "program_ended";

const ErrorDetail = record("AgentErrorDetail", {
  class: oneOf(["infra", "agent"]),
  code: Type.String(),
  message: Type.String(),
});

/** What is known of a step beyond its summary. */
export const DECISION_DETAILS = {
  model_turn: ModelTurnDetail,
  tool_call: ToolCallDetail,
  policy_block: PolicyBlockDetail,
  policy_violation: PolicyViolationDetail,
  limit_warning: LimitDetail,
  limit_reached: LimitDetail,
  provider_retry: ProviderRetryDetail,
  final_answer: FinalAnswerDetail,
  follow_up: FollowUpDetail,
  error: ErrorDetail,
};
export type DecisionKind = keyof typeof DECISION_DETAILS;
export const DECISION_KINDS = Object.keys(DECISION_DETAILS) as DecisionKind[];

/** What every kind of step has. */
export const DECISION_STEP = {
  seq: Type.Integer({ minimum: 1, description: "Position in the arm's log, from 1, without gaps." }),
  summary: Type.String({ description: "One line for a human reader." }),
  tokens_in: Count("Input tokens; 0 unless kind is `model_turn`."),
  tokens_out: Count("Output tokens; 0 unless kind is `model_turn`."),
  latency_ms: Count("Milliseconds the step took."),
  at: Type.Optional(Timestamp("When the step ended.")),
};

export type DecisionDetail<K extends DecisionKind = DecisionKind> = Static<(typeof DECISION_DETAILS)[K]>;

/** One step of an arm. Only `model_turn` carries tokens: their sums equal the arm's totals. */
export type Decision = {
  [K in DecisionKind]: Static<TObject<typeof DECISION_STEP>> & { kind: K; detail?: DecisionDetail<K> };
}[DecisionKind];

const ofKind = (kind: DecisionKind) =>
  Type.Object(
    { ...DECISION_STEP, kind: Type.Literal(kind), detail: Type.Optional(DECISION_DETAILS[kind]) },
    { additionalProperties: false },
  );

/** The kind decides which detail there may be. */
export const Decision = Type.Unsafe<Decision>(
  Type.Union(DECISION_KINDS.map(ofKind), {
    $id: "Decision",
    description: "One step of an arm; its kind says what the detail is.",
  }),
);
