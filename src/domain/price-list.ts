import { type Static, Type } from "@sinclair/typebox";
import { ModelRef, nullable, record } from "./schema.ts";

/** Stands beside each cost that was counted so. */
export const PriceDate = Type.Optional(
  Type.String({ description: "Day of the list prices that were taken, yyyy-mm-dd. Absent: the user gave the price." }),
);

export const Price = record("Price", {
  in: Type.Number({ minimum: 0 }),
  out: Type.Number({ minimum: 0 }),
  cached_in: nullable(Type.Number({ minimum: 0 })),
  cache_write: Type.Optional(nullable(Type.Number({ minimum: 0 }), { description: "Null or absent: as `in`." })),
  cache_write_1h: Type.Optional(
    Type.Number({ minimum: 0, description: "Absent: twice `in` where `cache_write` is given, else as `in`." }),
  ),
  price_date: PriceDate,
});
export type Price = Static<typeof Price>;

const UsdPerMtok = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description });

export const ModelPrice = Type.Object(
  {
    in: UsdPerMtok("Input."),
    out: UsdPerMtok("Output."),
    cached_in: Type.Optional(UsdPerMtok("Input read from a cache; absent = as input.")),
    cache_write: Type.Optional(UsdPerMtok("Input written to a cache; absent = as input.")),
    cache_write_1h: Type.Optional(
      UsdPerMtok("Input written to a cache for an hour; absent = twice input where `cache_write` is given."),
    ),
  },
  { $id: "ModelPrice", additionalProperties: false, description: "US dollars per million tokens." },
);

/** A file of prices: model to price. */
export const PriceListFile = Type.Record(ModelRef, ModelPrice, {
  $id: "PriceListFile",
  additionalProperties: false,
});
export type PriceListFile = Static<typeof PriceListFile>;

/** Prices by `<provider>/<model>`, the provider in lower case. */
export type PriceList = ReadonlyMap<string, Price>;

export const NO_PRICES: PriceList = new Map();

/** The key of a model in a list. Names of providers are not case-sensitive, names of models are. */
export function priceKey(model: string): string {
  const slash = model.indexOf("/");
  return model.slice(0, slash).toLowerCase() + model.slice(slash);
}

/** The price of scripts and of the built-in judge, which call no server. */
export const FREE: Price = { in: 0, out: 0, cached_in: 0 };
