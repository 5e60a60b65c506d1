import type { Price } from "./scenario.ts";
import type { SessionOutcome, SessionTotals } from "./session.ts";

/** What a model call, an arm or a judge took. Null is unknown, never nothing. */
export interface TokenUse {
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  /** Cache reads within tokens_in; null counts as none, so that the cost is never too low. */
  readonly cached_tokens: number | null;
}

/** A sum that holds an unknown is unknown; of nothing it is 0. */
export const sumKnown = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((total, value) => (total === null || value === null ? null : total + value), 0);

/** Each field summed on its own. */
export const sumUse = (uses: readonly TokenUse[]): TokenUse => ({
  tokens_in: sumKnown(uses.map(({ tokens_in }) => tokens_in)),
  tokens_out: sumKnown(uses.map(({ tokens_out }) => tokens_out)),
  cached_tokens: sumKnown(uses.map(({ cached_tokens }) => cached_tokens)),
});

/** USD; null when prices or tokens are unknown. */
export function costOf(price: Price | null, { tokens_in, tokens_out, cached_tokens }: TokenUse): number | null {
  if (price === null || tokens_in === null || tokens_out === null) return null;
  const cached = Math.min(cached_tokens ?? 0, tokens_in);
  const usd = (tokens_in - cached) * price.in + cached * (price.cached_in ?? price.in) + tokens_out * price.out;
  return usd / 1_000_000;
}

/** Arms and judge together. */
export function sumTotals(outcome: SessionOutcome): SessionTotals {
  const usages = [...outcome.arms, ...(outcome.verdict ? [outcome.verdict.usage] : [])];
  const { started_at, finished_at } = outcome;
  return {
    tokens_in: sumKnown(usages.map(({ tokens_in }) => tokens_in)),
    tokens_out: sumKnown(usages.map(({ tokens_out }) => tokens_out)),
    cost_usd: sumKnown(usages.map(({ cost_usd }) => cost_usd)),
    wall_ms: started_at && finished_at ? Math.max(0, Date.parse(finished_at) - Date.parse(started_at)) : null,
  };
}
