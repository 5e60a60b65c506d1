import { BYTES_PER_TOKEN } from "../domain/defaults.ts";
import type { Price } from "../domain/scenario.ts";
import { costOf } from "../domain/usage.ts";
import type { ModelReply, ModelRequest } from "../model/client.ts";

/** The money that judging may still take. A request counts at its dearest until it is answered, then at its price. */
export class Purse {
  readonly #price: Price;
  #left_usd: number;

  constructor(price: Price, left_usd: number) {
    this.#price = price;
    this.#left_usd = left_usd;
  }

  /** Puts the money for all of them aside, or for none. */
  affords(requests: readonly ModelRequest[]): boolean {
    const needed = requests.reduce((sum, request) => sum + this.#dearest(request), 0);
    if (needed > this.#left_usd) return false;
    this.#left_usd -= needed;
    return true;
  }

  /** What a reply does not tell was as dear as it could be. */
  settle(request: ModelRequest, reply: ModelReply): void {
    const dearest = this.#dearest(request);
    this.#left_usd += dearest - (costOf(this.#price, reply) ?? dearest);
  }

  #dearest({ system, messages, tools, params }: ModelRequest): number {
    const bytes = Buffer.byteLength(JSON.stringify({ system, messages, tools }));
    const tokens_in = Math.ceil(bytes / BYTES_PER_TOKEN);
    return costOf(this.#price, { tokens_in, tokens_out: params.max_output_tokens, cached_tokens: 0 }) ?? 0;
  }
}
