import type { BudgetState } from "../arm/budget.ts";
import type { Meter } from "../arm/meter.ts";
import { UNKNOWN_USAGE } from "../domain/usage.ts";
import type { WireReply } from "../wire/wire.ts";

/** Requests whose replies have not ended. Agents send several at once, and each was let in before the others were counted. */
export class UnderWay<T extends { readonly side: boolean }> {
  readonly #turns = new Set<T>();

  begin(turn: T): void {
    this.#turns.add(turn);
  }

  end(turn: T): void {
    this.#turns.delete(turn);
  }

  /** The budget beyond which those that are left would go; undefined when they may go on. */
  overdraws(meter: Meter): BudgetState | undefined {
    const left = [...this.#turns];
    if (left.length === 0) return undefined;
    return meter.exhausted(left.some(({ side }) => !side) ? undefined : "turns");
  }
}

/** What is known of a reply that nobody waited for. */
export const UNHEARD: WireReply = {
  ...UNKNOWN_USAGE,
  ...{ text: "", calls: [], stop_reason: "hung_up", model_served: null, ended: "cut", error: null, message_digest: "" },
  cache_write_tokens: null,
};
