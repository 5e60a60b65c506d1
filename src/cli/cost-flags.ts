import { NO_PRICES, type PriceList } from "../domain/price-list.ts";
import type { FlagSpec, ParsedArguments } from "./arguments.ts";

/** Of run, serve and mcp. */
export const PRICES_FLAG = {
  prices: {
    value: "<file>",
    description: "what models cost: YAML, <provider>/<model>: {in: 3, out: 15, cached_in: 0.3}, USD per million tokens",
  },
} as const satisfies Record<string, FlagSpec>;

/** @throws Failure `invalid_request` with the mistakes of the file. */
export async function readPrices(args: Pick<ParsedArguments<"prices">, "value">): Promise<PriceList> {
  const path = args.value("prices");
  if (path === undefined) return NO_PRICES;
  const { loadPriceList } = await import("../scenario/load-price-list.ts");
  return await loadPriceList(path);
}
