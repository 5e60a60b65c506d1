import type { Price } from "./scenario.ts";

export interface TokenUse {
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  /** Cache reads within tokens_in; null counts as none, so that the cost is never too low. */
  readonly cached_tokens: number | null;
}

/** USD; null when prices or tokens are unknown. */
export function costOf(price: Price | null, { tokens_in, tokens_out, cached_tokens }: TokenUse): number | null {
  if (price === null || tokens_in === null || tokens_out === null) return null;
  const cached = Math.min(cached_tokens ?? 0, tokens_in);
  const usd = (tokens_in - cached) * price.in + cached * (price.cached_in ?? price.in) + tokens_out * price.out;
  return usd / 1_000_000;
}
