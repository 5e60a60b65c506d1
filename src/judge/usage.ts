import type { Price } from "../domain/scenario.ts";
import { costOf, sumKnown } from "../domain/usage.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { Hearing } from "./hearing.ts";

/** What judging took; null is unknown, a judge that was not asked cost nothing. */
export function usageOf({ calls, cached_tokens }: Hearing, price: Price | null, latency_ms: number): Verdict["usage"] {
  const tokens_in = sumKnown(calls.map((call) => call.tokens_in));
  const tokens_out = sumKnown(calls.map((call) => call.tokens_out));
  const cost_usd = calls.length === 0 ? 0 : costOf(price, { tokens_in, tokens_out, cached_tokens });
  return { tokens_in, tokens_out, cost_usd, latency_ms };
}
