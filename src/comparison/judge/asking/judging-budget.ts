import type { ModelReply, ModelRequest } from "../../../arms/model/client.ts";
import { mostCostOfRequest } from "../../../arms/model/purse.ts";
import type { Price } from "../../../domain/price-list.ts";
import { costOf } from "../../../domain/usage.ts";

/** Money left for judging. The judges of a panel share one purse. */
interface Purse {
  left_usd: number;
}

/** What one judge may spend. A request reserves the most it can cost; its reply settles what it did cost. */
export class JudgingBudget {
  readonly #price: Price;
  readonly #purse: Purse;

  constructor(price: Price, purse: Purse) {
    this.#price = price;
    this.#purse = purse;
  }

  /** Reserves for all requests; false, and nothing reserved, when the money does not pay for all. */
  reserve(requests: readonly ModelRequest[]): boolean {
    const needed = requests.reduce((sum, request) => sum + mostCostOfRequest(this.#price, request), 0);
    if (needed > this.#purse.left_usd) return false;
    this.#purse.left_usd -= needed;
    return true;
  }

  /** A reply without token counts cost the whole reservation. */
  settle(request: ModelRequest, reply: ModelReply): void {
    const reserved = mostCostOfRequest(this.#price, request);
    this.#purse.left_usd += reserved - (costOf(this.#price, reply) ?? reserved);
  }
}
