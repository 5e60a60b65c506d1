import type { Decision } from "./decision.ts";
import type { ArmSummary } from "./session.ts";

/** What a decision log says an arm used; for arms that did not live to say it themselves. */
export function tallyDecisions(
  decisions: readonly Decision[],
): Pick<ArmSummary, "turns" | "tool_calls" | "tokens_in" | "tokens_out" | "cached_tokens"> {
  const turns = decisions.filter((decision) => decision.kind === "model_turn");
  const known = turns.every((turn) => turn.detail?.usage_unknown !== true);
  const sum = (tokens: (turn: (typeof turns)[number]) => number) =>
    known ? turns.reduce((total, turn) => total + tokens(turn), 0) : null;
  return {
    turns: turns.length,
    tool_calls: decisions.filter(({ kind }) => kind === "tool_call" || kind === "policy_block").length,
    tokens_in: sum((turn) => turn.tokens_in),
    tokens_out: sum((turn) => turn.tokens_out),
    cached_tokens: sum((turn) => turn.detail?.cached_tokens ?? 0),
  };
}
