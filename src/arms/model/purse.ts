import { BYTES_PER_TOKEN } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { usdText } from "../../domain/number-text.ts";
import type { Price } from "../../domain/price-list.ts";
import { costOf, mostCostOf } from "../../domain/usage.ts";
import type { Waiter } from "../../runtime/semaphore.ts";
import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "./client.ts";

/** What is set aside for one call. */
export interface Lease {
  /** Puts what the call cost in place of what was set aside, USD. Null is unknown, and counts as all of it. Only the first time counts. */
  settle(cost_usd: number | null): void;
}

interface Waiting {
  readonly usd: number;
  readonly asker: Waiter | undefined;
  readonly enter: (lease: Lease) => void;
  readonly refuse: (why: Failure) => void;
}

/**
 * Money that the calls under one limit share. Each sets aside the most that it can cost, and gives back what it did not. One that does
 * not fit beside those that are under way waits for them, first come, first served.
 */
export class Purse {
  readonly #limit_usd: number;
  #spent_usd: number;
  #held_usd = 0;
  readonly #line = new Set<Waiting>();
  /** Calls under way, by who asks. */
  readonly #under_way = new Map<Waiter, number>();
  readonly #outside = new Set<Waiter>();

  /** @param spent_usd under the same limit, before */
  constructor(limit_usd: number, spent_usd = 0) {
    this.#limit_usd = limit_usd;
    this.#spent_usd = spent_usd;
  }

  /** What its calls have cost, without those that are under way. */
  get spent_usd(): number {
    return this.#spent_usd;
  }

  /**
   * @param usd the most that the call can cost
   * @param options who asks is outside as long as it waits and has no other call under way
   * @throws Failure `cost_limit_reached` when the limit does not even pay for the call alone; the signal's reason when it fires
   */
  async take(usd: number, { signal, asker }: Pick<CallOptions, "signal"> & { readonly asker?: Waiter | undefined }) {
    signal.throwIfAborted();
    if (usd === 0) return this.#lease({ usd, asker });
    const { promise, resolve: enter, reject: refuse } = Promise.withResolvers<Lease>();
    const one: Waiting = { usd, asker, enter, refuse };
    this.#line.add(one);
    this.#serve();
    if (!this.#line.has(one)) return await promise;
    const leave = () => {
      this.#line.delete(one);
      refuse(signal.reason);
      this.#serve();
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#tell(asker);
    try {
      return await promise;
    } finally {
      this.#tell(asker);
      signal.removeEventListener("abort", leave);
    }
  }

  #tell(asker: Waiter | undefined): void {
    if (asker === undefined) return;
    const waits = [...this.#line].some((one) => one.asker === asker);
    const isOutside = waits && !this.#under_way.has(asker);
    if (isOutside === this.#outside.has(asker)) return;
    if (isOutside) this.#outside.add(asker);
    else this.#outside.delete(asker);
    asker.outside?.(isOutside);
  }

  /** Lets calls in as long as the first in line fits. Nobody overtakes it: a large call would wait for ever. */
  #serve(): void {
    for (const one of this.#line) {
      const isBeyond = one.usd > this.#left(0);
      if (!isBeyond && one.usd > this.#left(this.#held_usd)) return;
      this.#line.delete(one);
      if (isBeyond) one.refuse(this.#reached(one.usd));
      else one.enter(this.#lease(one));
    }
  }

  /** Sums of fractions of a cent are off by some billionths. */
  #left = (held_usd: number): number => this.#limit_usd - this.#spent_usd - held_usd + 1e-9;

  #lease({ usd, asker }: Pick<Waiting, "usd" | "asker">): Lease {
    this.#held_usd += usd;
    this.#count(asker, 1);
    let held = true;
    return {
      settle: (cost_usd) => {
        if (!held) return;
        held = false;
        this.#held_usd -= usd;
        this.#spent_usd += cost_usd ?? usd;
        this.#count(asker, -1);
        this.#serve();
        this.#tell(asker);
      },
    };
  }

  #count(asker: Waiter | undefined, change: 1 | -1): void {
    if (asker === undefined) return;
    const calls = (this.#under_way.get(asker) ?? 0) + change;
    if (calls > 0) this.#under_way.set(asker, calls);
    else this.#under_way.delete(asker);
  }

  #reached(usd: number): Failure {
    const [limit, spent, needed] = [this.#limit_usd, this.#spent_usd, usd].map(usdText);
    return new Failure(
      "cost_limit_reached",
      `the cost limit of ${limit} does not pay for the next call: ${spent} are spent, and it may cost up to ${needed}; raise the limit (--max-cost), or lower max_output_tokens`,
      { details: { limit_usd: this.#limit_usd, spent_usd: this.#spent_usd, needed_usd: usd } },
    );
  }
}

/** USD: the most that a reply to a request can cost; its input is estimated from bytes. 0 without a price. */
export function mostCostOfRequest(price: Price | null, { system, messages, tools, params }: ModelRequest): number {
  const bytes = Buffer.byteLength(JSON.stringify({ system, messages, tools }));
  const tokens_in = Math.ceil(bytes / BYTES_PER_TOKEN);
  return mostCostOf(price, { tokens_in, tokens_out: params.max_output_tokens }) ?? 0;
}

/** The same model, each of whose calls is paid from the purse. Its calls throw as `Purse.take`, too. */
export const paidFrom = (purse: Purse, model: ModelClient, price: Price | null): ModelClient => ({
  ref: model.ref,
  complete: async (request, options) => {
    const lease = await purse.take(mostCostOfRequest(price, request), options);
    let isSent = false;
    const watched: CallOptions = {
      ...options,
      onPlaced: (waited_ms) => {
        isSent = true;
        options.onPlaced?.(waited_ms);
      },
      onFailedTry: () => {
        isSent = false;
        options.onFailedTry?.();
      },
      onRetry: (retry) => {
        isSent = true;
        options.onRetry?.(retry);
      },
    };
    try {
      const reply = await model.complete(request, watched);
      lease.settle(isRefused(reply) ? 0 : costOf(price, reply));
      return reply;
    } catch (error) {
      // What nobody waited for is paid all the same.
      lease.settle(isSent && options.signal.aborted ? null : 0);
      throw error;
    }
  },
});

const isRefused = ({ stop, tokens_in }: ModelReply) => stop === "context_overflow" && tokens_in === null;
