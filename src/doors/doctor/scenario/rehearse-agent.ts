import type { ArmEnd } from "../../../arms/arm/arm-end.ts";
import type { Workspace } from "../../../arms/workspace/workspace.ts";
import { type AgentArm, agentRunner } from "../../../comparison/planning/agent-runner.ts";
import type { SessionServices } from "../../../comparison/planning/services.ts";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import type { Decision } from "../../../domain/decision.ts";
import { NO_PRICES } from "../../../domain/price-list.ts";
import { promptFor } from "../../../domain/task.ts";

/** How an agent behaves when its model says almost nothing. */
export interface Rehearsal {
  readonly end: ArmEnd;
  readonly decisions: readonly Decision[];
  /** Milliseconds from its start to its first request; null when it made none. */
  readonly first_request_ms: number | null;
  /** Whether it offers tools to its model. Without tools its commands are text that no rule reads. */
  readonly offers_tools: boolean;
  /** Whether it told its model of a name. */
  readonly told: (name: string) => boolean;
}

type RehearsalServices = Pick<SessionServices, "agents_dir" | "entropy" | "sandboxes" | "clock" | "redact">;

/**
 * Runs an agent on its task against a provider of our own, which has it run the command `true` and then says "Done.". It costs nothing and
 * needs no key.
 * @throws Failure as `agentRunner`
 */
export async function rehearseAgent(
  services: RehearsalServices,
  {
    loaded,
    arm,
    workspace,
  }: { readonly loaded: LoadedScenario; readonly arm: AgentArm; readonly workspace: Workspace },
  signal: AbortSignal,
): Promise<Rehearsal> {
  const { mockUpstream } = await import("../../../arms/agent/mock-upstream.ts");
  const { clock, redact } = services;
  const { task, policies } = loaded.definition;
  let asked_ticks: number | null = null;
  let offers_tools = false;
  let asked = "";
  const onAsked = (request: { readonly offers_tools: boolean }, body: string) => {
    asked_ticks ??= clock.ticks();
    offers_tools ||= request.offers_tools;
    if (asked.length < ASKED_CHARS) asked += body;
  };
  const openUpstream = (ref: string, wire: Parameters<typeof mockUpstream>[1]) => mockUpstream(ref, wire, onAsked);
  const runArm = await agentRunner({ ...services, prices: NO_PRICES, openUpstream }, loaded, arm);
  const decisions: Decision[] = [];
  const emit = (decision: Decision) => void decisions.push(decision);
  const budget = {
    ...policies.budget,
    max_seconds: REHEARSAL_S,
    max_turns: REHEARSAL_TURNS,
    max_tool_calls: REHEARSAL_TURNS,
  };
  const commands = { ...policies.commands, deny: [], allow: null };
  const run = {
    arm: { ...arm, limits: {} },
    prompt: promptFor(task, arm),
    policies: { ...policies, budget, commands },
  };
  const follow_ups = task.follow_ups && { follow_ups: task.follow_ups.slice(0, 1) };
  const end = await runArm({ ...run, ...follow_ups, workspace, clock, redact, emit }, signal);
  const first_request_ms = asked_ticks === null ? null : asked_ticks - end.began_ticks;
  return { end, decisions, first_request_ms, offers_tools, told: (name) => asked.includes(name) };
}

/** The characters of what an agent asks in a rehearsal. The largest first requests have some hundred thousand. */
const ASKED_CHARS = 8_000_000;

/** Seconds in which an agent must have started, asked and ended. */
export const REHEARSAL_S = 30;

/** An agent that is told to make one call takes two. */
const REHEARSAL_TURNS = 20;
