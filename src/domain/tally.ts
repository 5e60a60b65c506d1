import type { Decision } from "./decision.ts";
import type { Price } from "./scenario.ts";
import type { ArmSummary } from "./session.ts";
import { costOf, sumKnown } from "./usage.ts";

type Tally = Pick<
  ArmSummary,
  | "turns"
  | "tool_calls"
  | "tokens_in"
  | "tokens_out"
  | "cached_tokens"
  | "cost_usd"
  | "wall_ms"
  | "working_ms"
  | "throttled_ms"
>;

/** What a decision log says an arm used, up to its last decision; for arms that did not live to say it themselves. */
export function tallyDecisions(decisions: readonly Decision[], price: Price | null): Tally {
  const turns = decisions.filter((decision) => decision.kind === "model_turn");
  const known = turns.every((turn) => turn.detail?.usage_unknown !== true);
  const tokens = {
    tokens_in: known ? sumKnown(turns.map((turn) => turn.tokens_in)) : null,
    tokens_out: known ? sumKnown(turns.map((turn) => turn.tokens_out)) : null,
    cached_tokens: sumKnown(turns.map((turn) => turn.detail?.cached_tokens ?? null)),
  };
  const wall_ms = span(decisions);
  const throttled_ms = Math.min(wall_ms, sumKnown(decisions.map(waited)) ?? 0);
  return {
    turns: turns.length,
    tool_calls: decisions.filter(({ kind }) => kind === "tool_call" || kind === "policy_block").length,
    ...tokens,
    cost_usd: costOf(price, tokens),
    wall_ms,
    working_ms: wall_ms - throttled_ms,
    throttled_ms,
  };
}

const waited = (decision: Decision) => (decision.kind === "provider_retry" ? (decision.detail?.waited_ms ?? 0) : 0);

/** From the start of the first step to the end of the last, milliseconds. */
function span(decisions: readonly Decision[]): number {
  const [first, last] = [decisions[0], decisions.at(-1)];
  if (first?.at === undefined || last?.at === undefined) return 0;
  return Math.max(0, Date.parse(last.at) - Date.parse(first.at) + first.latency_ms);
}
