import type { BudgetName } from "./decision.ts";
import type { Facts } from "./evidence.ts";
import { usdText } from "./number-text.ts";
import type { ArmSummary } from "./session.ts";

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

/**
 * The exit code with which an external agent crashed; null where it did not. One that abeval ended has none, and one that a
 * full context ended gave up in order.
 */
export function crashOf({ status, agent }: Pick<ArmSummary, "status" | "agent">): number | null {
  if (status !== "finished" || !agent || agent.exit_code === null || agent.exit_code === 0) return null;
  return agent.ok_exit?.includes(agent.exit_code) ? null : agent.exit_code;
}

/** Whether the verdict tells of a crash. */
export const isCrashed = ({ crashed }: Pick<Facts, "crashed">): boolean => crashed !== undefined;

/** Codes above this are a signal's number more, as shells tell it. Linux has 64 signals. */
const SIGNALED = 128;

export const crashText = (exit_code: number): string =>
  exit_code > SIGNALED && exit_code <= SIGNALED + 64 ? `signal ${exit_code - SIGNALED}` : `exit code ${exit_code}`;
