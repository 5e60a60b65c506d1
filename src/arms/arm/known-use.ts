import type { Price } from "../../domain/price-list.ts";
import type { AtLeast, OtherModel } from "../../domain/session.ts";
import { costOf, sumKnown, type Usage } from "../../domain/usage.ts";

/** A model that was asked in the place of the arm's own. */
export interface PricedModel {
  /** `<provider>/<model>` */
  readonly model: string;
  /** Null when nobody said it. */
  readonly price: Price | null;
}

/** A reply, as far as it is known what it used. */
interface CountedReply {
  readonly usage: Usage;
  /** What the model that was asked costs; null when nobody knows. */
  readonly price: Price | null;
  /** It did not come whole. */
  readonly broken?: boolean | undefined;
  /** Absent: the arm's own model replied. */
  readonly other?: PricedModel | undefined;
}

/** What an arm used at the very least, and which other models replied to it. */
export class KnownUse {
  #tokens_in = 0;
  #tokens_out = 0;
  #cost_usd = 0;
  #replies = 0;
  #broken = 0;
  #untold = 0;
  readonly #others = new Map<string, OtherModel>();

  add({ usage, price, broken = false, other }: CountedReply): void {
    const known = { ...usage, tokens_in: usage.tokens_in ?? 0, tokens_out: usage.tokens_out ?? 0 };
    this.#replies += 1;
    this.#tokens_in += known.tokens_in;
    this.#tokens_out += known.tokens_out;
    this.#cost_usd += costOf(price, known) ?? 0;
    if (usage.tokens_in === null || usage.tokens_out === null) {
      if (broken) this.#broken += 1;
      else this.#untold += 1;
    }
    if (other) this.#addOther(other, usage);
  }

  #addOther({ model, price }: PricedModel, usage: Usage): void {
    const name = this.#others.has(model) || this.#others.size < MAX_OTHERS ? model : "others";
    const before = this.#others.get(name) ?? { model: name, calls: 0, tokens_in: 0, tokens_out: 0, cost_usd: 0 };
    this.#others.set(name, {
      model: name,
      calls: before.calls + 1,
      tokens_in: sumKnown([before.tokens_in, usage.tokens_in]),
      tokens_out: sumKnown([before.tokens_out, usage.tokens_out]),
      cost_usd: sumKnown([before.cost_usd, costOf(price, usage)]),
    });
  }

  /** What the arm's end reports; empty when all is known and no other model replied. `price` is that of the arm's own model. */
  told(price: Price | null): { readonly at_least?: AtLeast; readonly other_models?: readonly OtherModel[] } {
    const why = this.#why(price);
    const cost_usd = price === null ? null : this.#cost_usd;
    return {
      ...(why !== "" && { at_least: { tokens_in: this.#tokens_in, tokens_out: this.#tokens_out, cost_usd, why } }),
      ...(this.#others.size > 0 && { other_models: [...this.#others.values()] }),
    };
  }

  #why(price: Price | null): string {
    const of = this.#replies === 1 ? "1 reply" : `${this.#replies} replies`;
    const unpriced = [...this.#others.values()].filter((one) => one.cost_usd === null && one.tokens_in !== null);
    return [
      ...(this.#broken > 0 ? [`${this.#broken} of ${of} broke off before the provider said what was used`] : []),
      ...(this.#untold > 0 ? [`the provider did not say what ${this.#untold} of ${of} used`] : []),
      ...(price !== null && unpriced.length > 0
        ? [`no price is known of ${unpriced.map(({ model }) => model).join(", ")}, which small calls asked`]
        : []),
    ].join("; ");
  }
}

/** Models that are told apart: an agent can make names up. */
const MAX_OTHERS = 20;
