import { crashOf, crashText } from "./agent-crash.ts";
import type { BudgetName } from "./decision.ts";
import type { ArmSummary } from "./session.ts";
import { usdText } from "./usd-text.ts";

/** How an arm ended, for a reader: `finished`, `limit reached (cost, $0.0048)`, `crashed (exit code 101)`. */
export function endText(arm: Pick<ArmSummary, "status" | "stop_reason" | "budget" | "agent">): string {
  const { status, stop_reason, budget } = arm;
  const crashed = crashOf(arm);
  if (crashed !== null) return `crashed (${crashText(crashed)})`;
  const words = status.replaceAll("_", " ");
  if (stop_reason === null || status !== "limit_reached") return words;
  const name = stop_reason.replace(/^budget:/, "");
  const limit = budget.find((use) => use.budget === name)?.limit ?? null;
  const said = [LIMIT_WORDS[name] ?? name.replaceAll("_", " "), ...(limit === null ? [] : [limitText(name, limit)])];
  return `${words} (${said.join(", ")})`;
}

const LIMIT_WORDS: Readonly<Record<string, string>> = { cost_usd: "cost", seconds: "time" } satisfies Partial<
  Record<BudgetName, string>
>;

function limitText(name: string, limit: number): string {
  if (name === "cost_usd") return usdText(limit);
  return name === "seconds" ? `${limit} s` : String(limit);
}
