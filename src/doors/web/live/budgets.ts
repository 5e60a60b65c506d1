import type { BudgetName, Decision } from "../../../domain/decision.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { count, duration, usd } from "../format.ts";

/** What is left of a limit. */
interface Remaining {
  readonly name: string;
  /** 1: nothing is used. 0: all is used. */
  readonly share: number;
  readonly text: string;
}

type Unit = "turns" | "tokens" | "seconds" | "tool_calls" | "cost_usd";

const UNITS: Record<Unit, { readonly name: string; readonly write: (value: number) => string }> = {
  turns: { name: "Turns", write: count },
  tokens: { name: "Tokens", write: count },
  seconds: { name: "Time", write: (value) => duration(value * 1_000) },
  tool_calls: { name: "Tool calls", write: count },
  cost_usd: { name: "Cost", write: usd },
};

/** What is left of an arm's budgets. Until the arm reports them at its end, its decisions are added up. */
export function remainingOf(
  session: SessionOutcome,
  index: 0 | 1,
  log: readonly Decision[],
  elapsed_ms: number,
): Remaining[] {
  const arm = session.arms[index];
  const reported = arm.budget.flatMap(({ budget, used, limit }) => (isUnit(budget) ? [{ budget, used, limit }] : []));
  const states = reported.length > 0 ? reported : runningStates(session, index, log, elapsed_ms);
  return states.flatMap(({ budget, used, limit }) =>
    used === null || limit === null || limit <= 0 ? [] : [remaining(budget, used, limit)],
  );
}

const isUnit = (budget: BudgetName): budget is Unit => Object.hasOwn(UNITS, budget);

function remaining(budget: Unit, used: number, limit: number): Remaining {
  const { name, write } = UNITS[budget];
  const left = Math.max(0, limit - used);
  return { name, share: left / limit, text: `${write(left)} of ${write(limit)} left` };
}

function runningStates({ definition }: SessionOutcome, index: 0 | 1, log: readonly Decision[], elapsed_ms: number) {
  const { budget } = definition.policies;
  const { limits } = definition.arms[index];
  const limit = (name: "max_turns" | "max_tokens" | "max_seconds" | "max_tool_calls") =>
    Math.min(budget[name], limits[name] ?? Number.POSITIVE_INFINITY);
  const used = (kinds: readonly string[]) => log.filter(({ kind }) => kinds.includes(kind)).length;
  const tokens = log.reduce((sum, { tokens_in, tokens_out }) => sum + tokens_in + tokens_out, 0);
  return [
    { budget: "turns", used: used(["model_turn"]), limit: limit("max_turns") },
    { budget: "tokens", used: tokens, limit: limit("max_tokens") },
    { budget: "seconds", used: elapsed_ms / 1_000, limit: limit("max_seconds") },
    { budget: "tool_calls", used: used(["tool_call", "policy_block"]), limit: limit("max_tool_calls") },
  ] satisfies { budget: Unit; used: number; limit: number }[];
}
