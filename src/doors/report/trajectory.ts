import { ATIF_VERSION, type Trajectory, type TrajectoryStep } from "../../domain/atif.ts";
import type { Decision, DecisionDetail } from "../../domain/decision.ts";
import { asRecord } from "../../domain/lenient.ts";
import type { ArmSummary, SessionOutcome } from "../../domain/session.ts";
import { promptFor } from "../../domain/task.ts";

/** What a reader of the form must know that its fields do not say. */
const NOTES =
  "Made of the arm's decisions: texts, inputs and outputs are cut at 4 kB, counts are whole. A step of source system that is not the system prompt tells of a limit, a rule, a retry or an error.";

type Head = Omit<Trajectory, "steps" | "final_metrics">;

/** Everything but steps and totals. @param version of the program */
export function trajectoryHead(session: SessionOutcome, arm: ArmSummary, version: string): Head {
  return {
    schema_version: ATIF_VERSION,
    session_id: session.session_id,
    trajectory_id: `${session.session_id}/${arm.arm_id}`,
    agent: { ...agentOf(arm, version), model_name: arm.model_served ?? arm.model },
    notes: NOTES,
    extra: {
      ...{ scenario: session.scenario, arm_id: arm.arm_id, model: arm.model, status: arm.status },
      ...(arm.stop_reason !== null && { stop_reason: arm.stop_reason }),
    },
  };
}

/** The form demands a name and a version. */
function agentOf({ agent, imported }: ArmSummary, version: string) {
  if (imported) return { name: imported.agent ?? "unknown", version: imported.version ?? "unknown" };
  if (agent) return { name: agent.recipe ?? "command", version: agent.version ?? "unknown" };
  return { name: "abeval", version };
}

export function trajectoryTotals(arm: ArmSummary, total_steps: number): Trajectory["final_metrics"] {
  const { tokens_in, tokens_out, cached_tokens, cost_usd } = arm;
  return {
    ...(tokens_in !== null && { total_prompt_tokens: tokens_in }),
    ...(tokens_out !== null && { total_completion_tokens: tokens_out }),
    ...(cached_tokens !== null && { total_cached_tokens: cached_tokens }),
    ...(cost_usd !== null && { total_cost_usd: cost_usd }),
    total_steps,
  };
}

/** Steps of an arm in order, from what it was told to what it answered. */
export function* trajectorySteps(session: SessionOutcome, arm_id: string): Generator<TrajectoryStep> {
  let step_id = 1;
  for (const steps of [toldSteps(session, arm_id), doneSteps(session.decisions[arm_id] ?? [])])
    for (const step of steps) {
      yield { step_id, ...step };
      step_id += 1;
    }
}

type Step = Omit<TrajectoryStep, "step_id">;
/** A step of the agent to which calls are added. */
type AgentStep = Step & { source: "agent" };

const isAgentStep = (step: Step): step is AgentStep => step.source === "agent";

function* toldSteps({ definition }: SessionOutcome, arm_id: string): Generator<Step> {
  const arm = definition.arms.find(({ id }) => id === arm_id);
  if (arm?.system_prompt) yield { source: "system", message: arm.system_prompt };
  for (const { role, text } of definition.task.messages ?? [])
    yield role === "user"
      ? { source: "user", message: text }
      : { source: "agent", message: text, llm_call_count: 0, extra: { given: true } };
  yield { source: "user", message: promptFor(definition.task, arm) };
}

/** Calls belong to the turn before them. */
function* doneSteps(decisions: readonly Decision[]): Generator<Step> {
  let open: AgentStep | undefined;
  for (const decision of withoutRepeatedAnswers(decisions)) {
    if (isCall(decision)) {
      open ??= { source: "agent", message: "", llm_call_count: 0 };
      addCall(open, decision);
      continue;
    }
    if (open) yield open;
    const step = stepOf(decision);
    open = isAgentStep(step) ? step : undefined;
    if (!open) yield step;
  }
  if (open) yield open;
}

/** An answer is mostly what the turn before it said. */
function withoutRepeatedAnswers(decisions: readonly Decision[]): readonly Decision[] {
  let said = "";
  return decisions.filter((decision) => {
    if (decision.kind === "model_turn") said = decision.detail?.text ?? "";
    return decision.kind !== "final_answer" || decision.detail?.text !== said;
  });
}

const isCall = (decision: Decision): decision is Called =>
  decision.kind === "tool_call" || decision.kind === "policy_block";

function stepOf(decision: Exclude<Decision, Called>): Step {
  const timestamp = decision.at === undefined ? {} : { timestamp: decision.at };
  switch (decision.kind) {
    case "model_turn":
      return { source: "agent", ...turnOf(decision), ...timestamp };
    case "follow_up":
      return { source: "user", message: decision.detail?.text ?? decision.summary, ...timestamp };
    case "final_answer":
      return { source: "agent", message: decision.detail?.text ?? decision.summary, llm_call_count: 0, ...timestamp };
    default:
      return { source: "system", message: decision.summary, ...timestamp, extra: { kind: decision.kind } };
  }
}

function turnOf({ detail, tokens_in, tokens_out }: Decision & { kind: "model_turn" }) {
  const { text = "", cached_tokens = null, usage_unknown, thread, side, model } = detail ?? {};
  const extra = {
    ...(thread !== undefined && { thread }),
    ...(side && { side }),
    ...(detail?.stop_reason && { stop_reason: detail.stop_reason }),
  };
  return {
    message: text,
    llm_call_count: 1,
    ...(model !== undefined && { model_name: model }),
    ...(usage_unknown
      ? {}
      : {
          metrics: {
            prompt_tokens: tokens_in,
            completion_tokens: tokens_out,
            ...(cached_tokens !== null && { cached_tokens }),
          },
        }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

type Called = Decision & { kind: "tool_call" | "policy_block" };

function addCall(step: AgentStep, decision: Called): void {
  const tool_call_id = `call-${decision.seq}`;
  const { detail } = decision;
  const input = argumentsOf(detail?.input ?? "");
  step.tool_calls ??= [];
  step.observation ??= { results: [] };
  step.tool_calls.push({ tool_call_id, function_name: nameOf(detail), ...input });
  step.observation.results.push({ source_call_id: tool_call_id, ...resultOf(decision) });
}

const nameOf = (detail: Called["detail"]): string =>
  detail === undefined ? "unknown" : "own_tool" in detail && detail.own_tool ? detail.own_tool : detail.tool;

/** An input that was cut is no JSON any more. */
function argumentsOf(input: string) {
  try {
    const value = asRecord(JSON.parse(input));
    if (value) return { arguments: { ...value } };
  } catch {
    // Told below.
  }
  return { arguments: input === "" ? {} : { input }, extra: { as_text: true } };
}

function resultOf(decision: Called) {
  if (decision.kind === "policy_block")
    return { content: decision.summary, extra: { blocked_by: decision.detail?.rule ?? "a rule" } };
  const detail: DecisionDetail<"tool_call"> | undefined = decision.detail;
  if (detail === undefined) return {};
  const { output, ok, exit_code, bytes } = detail;
  return { content: output, extra: { ok, bytes, ...(exit_code !== null && { exit_code }) } };
}

/** The whole trajectory at once, for one that is known to be small. */
export function trajectoryOf(session: SessionOutcome, arm: ArmSummary, version: string): Trajectory {
  const steps = [...trajectorySteps(session, arm.arm_id)];
  return { ...trajectoryHead(session, arm, version), steps, final_metrics: trajectoryTotals(arm, steps.length) };
}
