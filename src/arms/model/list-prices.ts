import { calcPrice, type TieredPrices } from "@pydantic/genai-prices";
import type { Price } from "../../domain/price-list.ts";

/** The day of the package's prices: they change with its version only. */
const PRICES_OF = "2026-09-23";

/**
 * What a provider lists for a model, USD per million tokens; null where it is not listed there. Of prices that depend on the length of a
 * request it is the one for short ones.
 * @param address where the model is asked for: a gateway's own prices are not those of the provider behind it
 */
export function listPrice(address: string, model: string): Price | null {
  const timestamp = new Date(`${PRICES_OF}T12:00:00Z`);
  const listed = calcPrice({}, model, { providerApiUrl: address, timestamp })?.model_price;
  const [input, output] = [baseOf(listed?.["input_mtok"]), baseOf(listed?.["output_mtok"])];
  if (input === undefined || output === undefined) return null;
  const [read, write, hour] = ["cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok"].map((name) =>
    baseOf(listed?.[name]),
  );
  return {
    ...{ in: input, out: output, cached_in: read ?? null },
    ...(write !== undefined && { cache_write: write }),
    ...(hour !== undefined && { cache_write_1h: hour }),
    price_date: PRICES_OF,
  };
}

const baseOf = (price: number | TieredPrices | undefined): number | undefined =>
  typeof price === "object" ? price.base : price;
