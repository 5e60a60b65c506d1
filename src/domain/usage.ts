import type { Decision } from "./decision.ts";
import type { Price } from "./price-list.ts";
import type { ArmSummary, SessionOutcome } from "./session.ts";
import type { Verdict } from "./verdict.ts";

/** Tokens of a model call, or of many. Null is unknown, never nothing. */
export interface Usage {
  /** Cache reads and writes included. */
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  /** Cache reads within tokens_in. */
  readonly cached_tokens: number | null;
  /** Cache writes within tokens_in; absent where a provider does not count them apart. */
  readonly cache_write_tokens?: number | null;
  /** Within cache_write_tokens: kept for an hour, at a higher price. Absent: none. */
  readonly cache_write_1h_tokens?: number;
}

export const NO_USAGE: Usage = { tokens_in: 0, tokens_out: 0, cached_tokens: 0 };

export const UNKNOWN_USAGE: Usage = { tokens_in: null, tokens_out: null, cached_tokens: null };

/** A sum that holds an unknown is unknown. The sum of nothing is 0. */
export const sumKnown = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((total, value) => (total === null || value === null ? null : total + value), 0);

/** Sums each field on its own. */
export const sumUsage = (usages: readonly Usage[]): Usage => ({
  tokens_in: sumKnown(usages.map(({ tokens_in }) => tokens_in)),
  tokens_out: sumKnown(usages.map(({ tokens_out }) => tokens_out)),
  cached_tokens: sumKnown(usages.map(({ cached_tokens }) => cached_tokens)),
  ...cacheWrites(usages),
  ...hourWrites(usages),
});

/** Absent when none of them counts any. */
function cacheWrites(usages: readonly Pick<Usage, "cache_write_tokens">[]): Pick<Usage, "cache_write_tokens"> {
  const counted = usages.map(({ cache_write_tokens }) => cache_write_tokens).filter((one) => one !== undefined);
  return counted.length === 0 ? {} : { cache_write_tokens: sumKnown(counted) };
}

function hourWrites(usages: readonly Pick<Usage, "cache_write_1h_tokens">[]): Pick<Usage, "cache_write_1h_tokens"> {
  const sum = usages.reduce((total, { cache_write_1h_tokens = 0 }) => total + cache_write_1h_tokens, 0);
  return sum === 0 ? {} : { cache_write_1h_tokens: sum };
}

/** Tokens to be paid for. Cache reads and writes that are unknown count as none: then they cost what other input costs. */
type Paid = Pick<Usage, "tokens_in" | "tokens_out"> & Partial<Usage>;

/** USD; null when the price or the tokens are unknown. */
export function costOf(price: Price | null, paid: Paid): number | null {
  const { tokens_in, tokens_out, cached_tokens, cache_write_tokens } = paid;
  if (price === null || tokens_in === null || tokens_out === null) return null;
  const read = Math.min(cached_tokens ?? 0, tokens_in);
  const written = Math.min(cache_write_tokens ?? 0, tokens_in - read);
  const fresh = tokens_in - read - written;
  const hour = Math.min(paid.cache_write_1h_tokens ?? 0, written);
  const kept = (written - hour) * (price.cache_write ?? price.in) + hour * hourPrice(price);
  const input = fresh * price.in + read * (price.cached_in ?? price.in) + kept;
  return (input + tokens_out * price.out) / 1_000_000;
}

/** Anthropic takes 1.25 times the input's price for five minutes, and twice for an hour. */
const hourPrice = (price: Price): number =>
  price.cache_write_1h ?? (typeof price.cache_write === "number" ? 2 * price.in : price.in);

/** USD per million tokens: the most that input can cost which we send ourselves. We have nothing kept for an hour. */
export const dearestInput = (price: Price): number => Math.max(price.in, price.cache_write ?? 0);

/** USD per million tokens: the most that any token can cost, whatever is done with it. */
export const dearestToken = (price: Price): number => Math.max(price.out, dearestInput(price), hourPrice(price));

/** USD: the most that so many tokens can cost, whatever of them a cache takes. */
export const mostCostOf = (
  price: Price | null,
  { tokens_in, tokens_out }: Pick<Usage, "tokens_in" | "tokens_out">,
): number | null => costOf(price && { ...price, in: dearestInput(price) }, { tokens_in, tokens_out });

/** What the judgings of the run used: one, or two when the first gave nothing; none before. */
export const judgingsOf = ({ verdict, verdicts }: Pick<SessionOutcome, "verdict" | "verdicts">): Verdict["usage"][] =>
  [...verdicts.filter(({ kind }) => kind === "run"), ...(verdict ? [verdict] : [])].map(({ usage }) => usage);

/** What an arm used, and how long it took. */
export type ArmUsage = Usage &
  Pick<ArmSummary, "at_least" | "turns" | "tool_calls" | "cost_usd"> &
  Pick<ArmSummary, "wall_ms" | "working_ms" | "throttled_ms" | "stalled_ms">;

/** What an arm used up to its last decision, for an arm that was interrupted before it could say so itself. */
export function usageOfDecisions(decisions: readonly Decision[], price: Price | null): ArmUsage {
  const turns = decisions.filter((decision) => decision.kind === "model_turn");
  const untold = turns.filter(({ detail }) => detail?.usage_unknown === true).length;
  const used = usageOfTurns(turns);
  const usage = untold === 0 ? used : { ...used, tokens_in: null, tokens_out: null };
  const own = turns.filter(({ detail }) => detail?.model === undefined);
  const wall_ms = span(decisions);
  const throttled_ms = Math.min(wall_ms, sumKnown(decisions.map(waited)) ?? 0);
  const why = [
    ...(untold > 0 ? [`it is not known what ${untold} of ${turns.length} replies used`] : []),
    ...(price !== null && own.length < turns.length ? ["what small calls of other models cost was not stored"] : []),
  ];
  const { tokens_in, tokens_out } = used;
  const least = { tokens_in: tokens_in ?? 0, tokens_out: tokens_out ?? 0, cost_usd: costOf(price, usageOfTurns(own)) };
  return {
    turns: turns.filter(({ detail }) => detail?.side !== true).length,
    tool_calls: decisions.filter(isCall).length,
    ...usage,
    cost_usd: own.length < turns.length ? null : costOf(price, usage),
    ...(why.length > 0 && { at_least: { ...least, why: why.join("; ") } }),
    wall_ms,
    working_ms: wall_ms - throttled_ms,
    throttled_ms,
  };
}

type ModelTurn = Extract<Decision, { kind: "model_turn" }>;

/** The sum over turns; a turn of unknown usage adds nothing. */
const usageOfTurns = (turns: readonly ModelTurn[]): Usage => ({
  tokens_in: sumKnown(turns.map((turn) => turn.tokens_in)),
  tokens_out: sumKnown(turns.map((turn) => turn.tokens_out)),
  cached_tokens: sumKnown(turns.map((turn) => turn.detail?.cached_tokens ?? null)),
  ...cacheWrites(turns.flatMap(({ detail }) => detail ?? [])),
  ...hourWrites(turns.flatMap(({ detail }) => detail ?? [])),
});

/** A refused call is one, too; what a closed network takes out of a request is none. */
const isCall = (decision: Decision) =>
  decision.kind === "tool_call" || (decision.kind === "policy_block" && decision.detail?.rule !== NETWORK_RULE);

const waited = (decision: Decision) => (decision.kind === "provider_retry" ? (decision.detail?.waited_ms ?? 0) : 0);

/** Milliseconds from the start of the first step to the end of the last. */
function span(decisions: readonly Decision[]): number {
  const [first, last] = [decisions[0], decisions.at(-1)];
  if (first?.at === undefined || last?.at === undefined) return 0;
  return Math.max(0, Date.parse(last.at) - Date.parse(first.at) + first.latency_ms);
}

/** The rule of a block that took away what a provider would have done for an agent. */
export const NETWORK_RULE = "network: none";

type Dated = { readonly price_date?: string };
type DatedRun = { readonly arms: readonly Dated[]; readonly verdict: { readonly usage: Dated } | null };

/** The day of the list prices that a run was counted by; empty where the user gave all of them. */
export function priceDateOf({ arms, verdict }: DatedRun): Dated {
  const [price_date] = [...arms, verdict?.usage].flatMap((part) => part?.price_date ?? []);
  return price_date === undefined ? {} : { price_date };
}
