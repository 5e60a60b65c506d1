import { AgentLog } from "../../src/arms/agent/log/agent-log.ts";
import type { OpenTurn } from "../../src/arms/agent/log/threads.ts";
import { DecisionLog } from "../../src/arms/arm/decision-log.ts";
import { Meter } from "../../src/arms/arm/meter.ts";
import { Stopwatch } from "../../src/arms/arm/stopwatch.ts";
import { recipeOf } from "../../src/arms/recipe/recipes.ts";
import type { WireReply, WireRequest } from "../../src/arms/wire/wire.ts";
import type { Workspace } from "../../src/arms/workspace/workspace.ts";
import type { Decision } from "../../src/domain/decision.ts";
import type { Policies } from "../../src/domain/policies.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { aScenario } from "../outcomes.ts";
import { PLAIN_AGENT } from "./plain-agent.ts";

interface Logging {
  readonly policies?: Partial<Policies>;
  readonly redact?: (text: string) => string;
}

/** A log of an agent that nobody runs, and the turn in which it is. */
export async function logOf({ policies, redact = (text) => text }: Logging = {}) {
  const { arms, policies: given } = aScenario();
  const budget = { ...given.budget, max_tool_calls: 1_000_000 };
  const stopwatch = new Stopwatch(systemClock, 600_000);
  const decisions: Decision[] = [];
  const emit = (decision: Decision) => void decisions.push(decision);
  const run = {
    ...{ arm: arms[0], prompt: "", policies: { ...given, ...policies }, clock: systemClock, redact, emit },
    // Nobody looks at it: no path is protected.
    workspace: { altered: async () => [] } as unknown as Workspace,
  };
  const log = new AgentLog({
    ...{ run, agent: PLAIN_AGENT, recipe: recipeOf(PLAIN_AGENT), upstream: { model: "m" } },
    prices: { nameOf: (model) => model, of: () => null, free: true },
    log: new DecisionLog(systemClock, emit),
    meter: new Meter(budget, null, stopwatch),
    signal: new AbortController().signal,
    stop: () => undefined,
  });
  const turn = (await log.asked(REQUEST, 100, new AbortController().signal)) as OpenTurn;
  return { log, turn, decisions, [Symbol.dispose]: () => stopwatch[Symbol.dispose]() };
}

const REQUEST: WireRequest = {
  ...{ wire: "chat", model: "m", stream: true, system: "", offers_tools: true, results: [] },
  message_digests: ["0"],
};

export const REPLY: WireReply = {
  ...{ text: "", calls: [], tokens_in: 1, tokens_out: 1, cached_tokens: 0, cache_write_tokens: null },
  ...{ stop_reason: "tool_calls", model_served: "m", ended: "whole", error: null, message_digest: "0" },
};
