import type { Price } from "../domain/scenario.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { Hearing } from "./hearing.ts";

/** What judging took; null is unknown, a judge that was not asked cost nothing. */
export function usageOf(hearing: Hearing, price: Price | undefined, latency_ms: number): Verdict["usage"] {
  const sum = (field: "tokens_in" | "tokens_out") =>
    hearing.calls.reduce<number | null>(
      (total, { [field]: tokens }) => (total === null || tokens === null ? null : total + tokens),
      0,
    );
  const usage = { tokens_in: sum("tokens_in"), tokens_out: sum("tokens_out"), latency_ms };
  return { ...usage, cost_usd: hearing.calls.length === 0 ? 0 : costOf(usage, hearing.cached_tokens, price) };
}

/** Unknown cache reads are priced as plain input, which can only overstate. */
function costOf(
  { tokens_in, tokens_out }: Pick<Verdict["usage"], "tokens_in" | "tokens_out">,
  cached_tokens: number | null,
  price: Price | undefined,
): number | null {
  if (price === undefined || tokens_in === null || tokens_out === null) return null;
  const cached = cached_tokens ?? 0;
  return ((tokens_in - cached) * price.in + cached * (price.cached_in ?? price.in) + tokens_out * price.out) / 1e6;
}
