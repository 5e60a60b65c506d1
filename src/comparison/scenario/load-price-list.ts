import { resolve } from "node:path";
import { SCENARIO_FILE_BYTES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { type Price, type PriceList, PriceListFile, priceKey } from "../../domain/price-list.ts";
import { Problems } from "./authored/problems.ts";
import { checkShape, readYaml } from "./document/yaml-document.ts";
import { errorLines, located } from "./parse-scenario.ts";
import { readText } from "./read-text.ts";
import { Unusable } from "./unusable.ts";

const SHAPE = {
  schema: PriceListFile,
  expected: "expected a map from <provider>/<model> to its price: {in: 3, out: 15, cached_in: 0.3}",
};

/**
 * What models cost, from a YAML file: a map from model to US dollars per million tokens.
 * @throws Failure `invalid_request` with a line `<file>:<line>:<column> <field>: <what>` for each mistake.
 */
export async function loadPriceList(path: string): Promise<PriceList> {
  const text = await readText(resolve(path), SCENARIO_FILE_BYTES).catch((error: unknown) => {
    throw error instanceof Unusable ? new Failure("invalid_request", `${path}: the file ${error.message}`) : error;
  });
  const problems = new Problems();
  const document = await readYaml(text, problems);
  if (document.readable) checkShape(document.value, problems, SHAPE);
  const prices = problems.found.length === 0 ? pricesOf(document.value as PriceListFile, problems) : undefined; // no problem: it has the shape
  if (prices !== undefined && problems.found.length === 0) return prices;
  throw new Failure("invalid_request", errorLines(path, located(document, problems)).join("\n"));
}

function pricesOf(file: PriceListFile, problems: Problems): PriceList {
  const prices = new Map<string, Price>();
  for (const [model, price] of Object.entries(file)) {
    const key = priceKey(model);
    if (prices.has(key))
      problems.add([model], "is given twice: providers are the same in upper and lower case", { at: "key" });
    prices.set(key, { cached_in: null, ...price });
  }
  return prices;
}
