import type { Price } from "../domain/scenario.ts";
import { costOf, sumKnown } from "../domain/usage.ts";
import type { ModelClient } from "../model/client.ts";

/** The same model, and what its replies have cost. */
export function countedModel(model: ModelClient, price: Price | null) {
  let spent: number | null = 0;
  const counted: ModelClient = {
    ref: model.ref,
    complete: async (request, options) => {
      const reply = await model.complete(request, options);
      spent = sumKnown([spent, costOf(price, reply)]);
      return reply;
    },
  };
  return { model: counted, spent_usd: () => spent };
}
