import type { CallText } from "../../arm/decision-log.ts";
import type { CallRecord } from "../../policy/review.ts";
import type { CanonicalCall } from "../../recipe/canonical-call.ts";
import type { WireCall, WireResult } from "../../wire/wire.ts";

/** A call that the agent was told to make, without its input, which may have megabytes. */
export interface PendingCall extends Pick<CanonicalCall, "effect" | "checked"> {
  /** The call as the model wrote it. */
  readonly call: Pick<WireCall, "id" | "name">;
  /** The same call in our own tool names and fields. */
  readonly told: CallText;
  /** That it reads; undefined: none. */
  readonly skill: string | undefined;
  /** What rules and checks count. */
  readonly made: CallRecord;
  readonly thread: number;
  /** Monotonic milliseconds. */
  readonly asked_ticks: number;
}

/**
 * Calls whose results have not been seen. Results are matched by id, which survives when an agent shortens its conversation;
 * where a wire has no ids, by the name and how often it came before in the thread.
 */
export class PendingCalls {
  readonly #calls = new Map<string, PendingCall>();
  readonly #named = new Map<string, number>();

  add(pending: PendingCall): void {
    const { id, name } = pending.call;
    const named = `${pending.thread} ${name}`;
    const nth = this.#named.get(named) ?? 0;
    this.#named.set(named, nth + 1);
    this.#calls.set(id === null ? `${named} ${nth}` : id, pending);
  }

  /** The call that this is the first result of. */
  take(result: WireResult, thread: number): PendingCall | undefined {
    const keys = [result.call_id, `${thread} ${result.name} ${result.nth}`];
    for (const key of keys) {
      const pending = key === null ? undefined : this.#calls.get(key);
      if (key !== null && pending !== undefined) {
        this.#calls.delete(key);
        return pending;
      }
    }
    return undefined;
  }

  /** What is left, in the order in which it was asked for. Nothing is pending afterwards. */
  rest(): readonly PendingCall[] {
    const left = [...this.#calls.values()];
    this.#calls.clear();
    return left;
  }
}
