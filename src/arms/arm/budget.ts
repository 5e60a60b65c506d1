import type { Arm } from "../../domain/arm.ts";
import type { BudgetName } from "../../domain/decision.ts";
import type { Budget } from "../../domain/policies.ts";

export interface BudgetState {
  readonly budget: BudgetName;
  readonly used: number;
  readonly limit: number;
  /** What the next request would use at least; set where that was refused. */
  readonly next?: number;
}

/** The policies' budget, tightened by the arm's own limits. Neither widens the other. */
export function effectiveBudget(budget: Budget, limits: Arm["limits"]): Budget {
  const tighter = (name: "max_turns" | "max_tokens" | "max_seconds" | "max_tool_calls") =>
    Math.min(budget[name], limits[name] ?? Number.POSITIVE_INFINITY);
  const caps = [budget.max_cost_usd, limits.max_cost_usd].filter((cap) => typeof cap === "number");
  return {
    max_turns: tighter("max_turns"),
    max_tokens: tighter("max_tokens"),
    max_seconds: tighter("max_seconds"),
    max_tool_calls: tighter("max_tool_calls"),
    max_cost_usd: caps.length > 0 ? Math.min(...caps) : null,
  };
}

/** To a millionth for money, to a thousandth for everything else. */
export function rounded(budget: BudgetName, value: number): number {
  const parts = budget === "cost_usd" ? 1_000_000 : 1_000;
  return Math.round(value * parts) / parts;
}

export function usedText({ budget, used, limit, next }: BudgetState): string {
  const unit = budget === "cost_usd" ? " USD" : "";
  return `${rounded(budget, used)} of ${rounded(budget, limit)}${unit} used${next === undefined ? "" : `, and the next request takes at least ${rounded(budget, next)}${unit}`}`;
}
