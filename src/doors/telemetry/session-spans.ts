import { checkValue } from "../../domain/check-result.ts";
import type { Decision } from "../../domain/decision.ts";
import { providerOf } from "../../domain/model-name.ts";
import type { ArmSummary, SessionOutcome } from "../../domain/session.ts";
import { SIDES, type Side, type Verdict } from "../../domain/verdict.ts";

/** Undefined: it is not known, and left out. */
type Attributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** A judgement of what a span did, by the conventions an event of its own. */
interface EvaluationEvent {
  readonly name: "gen_ai.evaluation.result";
  readonly at_ms: number;
  readonly attributes: Attributes;
}

/** A span before it has an id, with those inside it. */
export interface SessionSpan {
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly start_ms: number;
  readonly end_ms: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
  readonly events: readonly EvaluationEvent[];
  readonly children: readonly SessionSpan[];
}

/**
 * A session as spans, by OpenTelemetry's semantic conventions for generative AI: each arm invokes an agent, which chats and
 * executes tools; each criterion and each hidden check is the result of an evaluation. No text that an arm, a judge or an author
 * wrote is in it but names and ids.
 */
export function sessionSpan(session: SessionOutcome): SessionSpan {
  const { session_id, scenario, input, created_at, finished_at, state, trial, verdict, failure } = session;
  const start_ms = Date.parse(created_at);
  const ended_ms = Date.parse(finished_at ?? created_at);
  const children = session.arms.map((arm) => armSpan(session, arm, { start_ms, end_ms: ended_ms }));
  return {
    ...{ name: `abeval ${scenario}`, kind: "internal", start_ms, failed: failure !== null, events: [] },
    end_ms: Math.max(ended_ms, ...children.map(({ end_ms }) => end_ms)),
    attributes: {
      "abeval.session.id": session_id,
      "abeval.scenario": scenario,
      "abeval.input": input?.id,
      "abeval.state": state,
      "abeval.series.id": trial?.series_id,
      "abeval.series.trial": trial?.trial,
      "abeval.outcome": verdict?.outcome,
      "abeval.winner": verdict?.winner ?? undefined,
      "abeval.confidence": verdict?.confidence,
      "abeval.judge.model": verdict?.judge.model,
      "error.type": failure?.code,
    },
    children,
  };
}

interface Lifetime {
  readonly start_ms: number;
  readonly end_ms: number;
}

function armSpan(session: SessionOutcome, arm: ArmSummary, lifetime: Lifetime): SessionSpan {
  // What another session ran is in its spans, and counted there.
  const ran = arm.shared === undefined;
  const children = ran
    ? (session.decisions[arm.arm_id] ?? []).flatMap((decision) => stepSpan(arm, decision) ?? [])
    : [];
  const { start_ms, end_ms } = lifetimeOf(children) ?? lifetime;
  const failed = arm.status === "failed";
  return {
    ...{ name: `invoke_agent ${arm.arm_id}`, kind: "internal", start_ms, end_ms, failed, children },
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      ...modelOf(arm),
      "gen_ai.agent.name": arm.arm_id,
      "gen_ai.agent.version": arm.agent?.version ?? undefined,
      "gen_ai.conversation.id": `${session.session_id}/${arm.arm_id}`,
      ...(ran && usageOf(arm)),
      "abeval.ran_in": arm.shared?.session_id,
      "abeval.status": arm.status,
      "error.type": failed ? "arm_failed" : undefined,
    },
    events: [...verdictEvents(session, arm), ...checkEvents(arm, end_ms)],
  };
}

const usageOf = ({ tokens_in, tokens_out, cached_tokens, cost_usd }: ArmSummary): Attributes => ({
  "gen_ai.usage.input_tokens": tokens_in ?? undefined,
  "gen_ai.usage.output_tokens": tokens_out ?? undefined,
  "gen_ai.usage.cache_read.input_tokens": cached_tokens ?? undefined,
  "abeval.cost_usd": cost_usd ?? undefined,
});

/** Undefined of no span. There may be more than a call takes arguments. */
const lifetimeOf = ([first, ...rest]: readonly SessionSpan[]): Lifetime | undefined =>
  first &&
  rest.reduce<Lifetime>(
    (all, { start_ms, end_ms }) => ({
      start_ms: Math.min(all.start_ms, start_ms),
      end_ms: Math.max(all.end_ms, end_ms),
    }),
    first,
  );

const modelOf = ({ model, model_served }: Pick<ArmSummary, "model" | "model_served">): Attributes => ({
  "gen_ai.provider.name": providerOf(model) ?? "unknown",
  "gen_ai.request.model": model.slice(model.indexOf("/") + 1),
  "gen_ai.response.model": model_served ?? undefined,
});

/** Undefined for what is no operation, or has no time, as in sessions of early versions. */
function stepSpan(arm: ArmSummary, decision: Decision): SessionSpan | undefined {
  if (decision.at === undefined) return undefined;
  const end_ms = Date.parse(decision.at);
  const span = { start_ms: end_ms - decision.latency_ms, end_ms, events: [], children: [] };
  if (decision.kind === "model_turn") return { ...span, ...chatOf(arm, decision) };
  return decision.kind === "tool_call" ? { ...span, ...callOf(decision) } : undefined;
}

type Operation = Pick<SessionSpan, "name" | "kind" | "failed" | "attributes">;

function chatOf(arm: ArmSummary, { tokens_in, tokens_out, detail }: Decision & { kind: "model_turn" }): Operation {
  const isKnown = !detail?.usage_unknown;
  const asked = modelOf(detail?.model === undefined ? arm : { model: detail.model, model_served: null });
  return {
    ...{ name: `chat ${asked["gen_ai.request.model"]}`, kind: "client", failed: false },
    attributes: {
      "gen_ai.operation.name": "chat",
      ...asked,
      "gen_ai.response.finish_reasons": detail && [detail.stop_reason],
      "gen_ai.usage.input_tokens": isKnown ? tokens_in : undefined,
      "gen_ai.usage.output_tokens": isKnown ? tokens_out : undefined,
      "gen_ai.usage.cache_read.input_tokens": detail?.cached_tokens ?? undefined,
    },
  };
}

function callOf({ seq, detail }: Decision & { kind: "tool_call" }): Operation {
  const name = detail?.own_tool ?? detail?.tool ?? "unknown";
  const failed = detail?.ok === false;
  return {
    ...{ name: `execute_tool ${name}`, kind: "internal", failed },
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": `call-${seq}`,
      "gen_ai.tool.type": "function",
      "error.type": failed ? "tool_failed" : undefined,
    },
  };
}

function verdictEvents({ verdict }: SessionOutcome, { arm_id }: ArmSummary): readonly EvaluationEvent[] {
  if (!verdict) return [];
  const side = SIDES.find((one) => (one === "a" ? verdict.arm_a : verdict.arm_b).arm_id === arm_id);
  if (side === undefined) return [];
  const at_ms = Date.parse(verdict.created_at);
  const criteria = verdict.criteria.map(({ id, score_a, score_b, supported }) =>
    resultOf(`criterion ${id}`, at_ms, { value: supported ? (side === "a" ? score_a : score_b) : null }),
  );
  const value = side === "a" ? verdict.score_a : verdict.score_b;
  return [resultOf("verdict", at_ms, { value, label: labelOf(verdict, side) }), ...criteria];
}

const labelOf = ({ outcome, winner_side }: Verdict, side: Side): string =>
  outcome === "winner" ? (winner_side === side ? "win" : "loss") : outcome;

const checkEvents = ({ probe }: ArmSummary, at_ms: number): readonly EvaluationEvent[] =>
  (probe?.checks ?? []).map((check) =>
    resultOf(`check ${check.id}`, at_ms, { value: checkValue(check), label: check.status }),
  );

interface Result {
  readonly value: number | null;
  readonly label?: string;
}

const resultOf = (name: string, at_ms: number, { value, label }: Result): EvaluationEvent => ({
  ...{ name: "gen_ai.evaluation.result", at_ms },
  attributes: {
    "gen_ai.evaluation.name": name,
    "gen_ai.evaluation.score.value": value ?? undefined,
    "gen_ai.evaluation.score.label": label,
  },
});
