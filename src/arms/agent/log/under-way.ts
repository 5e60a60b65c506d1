import type { BudgetState } from "../../arm/budget.ts";
import type { Meter, SentRequest } from "../../arm/meter.ts";

/** Requests whose replies have not ended. Agents send several at once, and each was let in before the others were counted. */
export class UnderWay<T extends SentRequest> {
  readonly #turns = new Set<T>();
  readonly #waiting = new Set<() => void>();

  begin(turn: T): void {
    this.#turns.add(turn);
  }

  end(turn: T): void {
    this.#turns.delete(turn);
    for (const look of this.#waiting) look();
  }

  /** One more can go out beside these, and the budget lasts for all. A request alone always can. */
  hasRoomFor(request: SentRequest, meter: Meter): boolean {
    return this.#turns.size === 0 || meter.lastsFor([...this.#turns, request]);
  }

  /** Settles when one of them has ended, or the signal fires. */
  async oneEnded(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => resolve();
    this.#waiting.add(look);
    signal.addEventListener("abort", look);
    await promise;
    this.#waiting.delete(look);
    signal.removeEventListener("abort", look);
  }

  /** The budget beyond which those that are left would go; undefined when they may go on. */
  overdraws(meter: Meter): BudgetState | undefined {
    const left = [...this.#turns];
    if (left.length === 0) return undefined;
    return meter.exhausted(left.some(({ side }) => !side) ? undefined : "turns");
  }
}
