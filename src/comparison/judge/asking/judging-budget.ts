import type { ModelReply, ModelRequest } from "../../../arms/model/client.ts";
import { mostCostOfRequest } from "../../../arms/model/purse.ts";
import type { Price } from "../../../domain/price-list.ts";
import { costOf } from "../../../domain/usage.ts";

/** Money left for judging, which the judges of a panel share. */
interface MoneyLeft {
  left_usd: number;
}

/** What one judge may spend. A request reserves the most it can cost; its reply settles what it did cost. */
export class JudgingBudget {
  readonly #price: Price;
  readonly #money: MoneyLeft;

  constructor(price: Price, money: MoneyLeft) {
    this.#price = price;
    this.#money = money;
  }

  /** Reserves for all requests; false, and nothing reserved, when the money does not pay for all. */
  reserve(requests: readonly ModelRequest[]): boolean {
    const needed = requests.reduce((sum, request) => sum + mostCostOfRequest(this.#price, request), 0);
    if (needed > this.#money.left_usd) return false;
    this.#money.left_usd -= needed;
    return true;
  }

  /** A reply without token counts cost the whole reservation. */
  settle(request: ModelRequest, reply: ModelReply): void {
    const reserved = mostCostOfRequest(this.#price, request);
    this.#money.left_usd += reserved - (costOf(this.#price, reply) ?? reserved);
  }
}
