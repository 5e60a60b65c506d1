import { expect, test } from "bun:test";
import packages from "../../package.json" with { type: "json" };
import { listPrice } from "../../src/arms/model/list-prices.ts";
import { comparisonDigest, conditionsOf } from "../../src/comparison/planning/comparison.ts";
import { priceOf, withListPrices, withPrices } from "../../src/comparison/planning/cost-limits.ts";
import { NO_PRICES } from "../../src/domain/price-list.ts";
import { anArm, aScenario } from "../outcomes.ts";

const price = (usd: number) => ({ in: usd, out: usd, cached_in: null });

const LIST = new Map([["openai/listed", price(1)]]);

const scenario = aScenario({
  arms: [
    anArm("left", { model: "OpenAI/listed", price_per_mtok: price(2) }),
    anArm("right", { model: "openai/other", price_per_mtok: price(3) }),
  ],
});

const judgedBy = (model: string) =>
  aScenario({
    ...scenario,
    rubric: { ...scenario.rubric, judge: { ...scenario.rubric.judge, model, price_per_mtok: price(4) } },
  });

test("whoever pays goes before the scenario, and what the scenario says of a model holds wherever it is used", () => {
  expect(priceOf(LIST, scenario, "openai/listed")).toEqual(price(1));
  expect(priceOf(NO_PRICES, scenario, "openai/listed")).toEqual(price(2));
  expect(priceOf(LIST, scenario, "openai/other")).toEqual(price(3));
  expect(priceOf(LIST, scenario, "openai/unheard")).toBeNull();
});

test("the price of the rubric's judge is that of its model and of no other", () => {
  expect(priceOf(NO_PRICES, judgedBy("openai/judge"), "openai/judge")).toEqual(price(4));
  expect(priceOf(NO_PRICES, judgedBy("openai/judge"), "openai/another")).toBeNull();
  expect(priceOf(NO_PRICES, judgedBy("claude-j"), "anthropic/claude-j")).toEqual(price(4));
});

test("models that call nobody are free", () => {
  const free = { in: 0, out: 0, cached_in: 0 };
  expect([priceOf(LIST, scenario, "scripted/x"), priceOf(LIST, scenario, "builtin/evidence")]).toEqual([free, free]);
});

test("prices follow the model that runs, not the one in the file", () => {
  const withModel = (model: string) => {
    const [first, second] = scenario.arms;
    const changed = {
      ...scenario,
      arms: [
        { ...first, model, price_per_mtok: null },
        { ...second, model, price_per_mtok: null },
      ],
    } as typeof scenario;
    return withPrices(LIST, scenario, changed).arms.map(({ price_per_mtok }) => price_per_mtok);
  };
  expect(withModel("openai/listed")).toEqual([price(1), price(1)]);
  expect(withModel("openai/other")).toEqual([price(3), price(3)]);
  expect(withModel("openai/unheard")).toEqual([null, null]);
  expect(withPrices(LIST, scenario, scenario).arms.map(({ price_per_mtok }) => price_per_mtok)).toEqual([
    price(1),
    price(3),
  ]);
});

const ANTHROPIC = "https://api.anthropic.com";

test("a provider's own list has a day; another address, and a model that it does not list, have no price", () => {
  expect(listPrice(ANTHROPIC, "claude-sonnet-4-5")).toEqual({
    ...{ in: 3, out: 15, cached_in: 0.3, cache_write: 3.75, cache_write_1h: 6 },
    price_date: "2026-09-23",
  });
  // That is the day on which this version was published: look it up for another one.
  expect(packages.dependencies["@pydantic/genai-prices"]).toBe("0.1.8");
  expect(listPrice("http://127.0.0.1:4000/v1", "claude-sonnet-4-5")).toBeNull();
  expect(listPrice(ANTHROPIC, "claude-nobody-knows")).toBeNull();
});

test("list prices come last, and are in no digest", async () => {
  const asked: string[] = [];
  const list_price = async (model: string) => {
    asked.push(model);
    return model === "openai/listed-elsewhere" ? { ...price(9), price_date: "2026-09-23" } : null;
  };
  const [left, right] = scenario.arms;
  const unpriced = { ...scenario, arms: [left, { ...right, model: "openai/listed-elsewhere", price_per_mtok: null }] };
  const definition = unpriced as typeof scenario;
  const prices = await withListPrices({ prices: LIST, list_price }, definition, "openai/unheard");
  expect(asked.toSorted()).toEqual(["openai/listed-elsewhere", "openai/unheard"]);
  const priced = withPrices(prices, definition, definition);
  expect(priced.arms.map(({ price_per_mtok }) => price_per_mtok?.in)).toEqual([1, 9]);
  expect(priceOf(prices, definition, "openai/unheard")).toBeNull();
  const digestWith = (arms: typeof scenario.arms) =>
    comparisonDigest({
      ...conditionsOf(definition, "openai/unheard"),
      arms,
      sandbox: "none",
      day: "2026-11-28",
      installs: [[], []],
    });
  expect(digestWith(priced.arms)).toBe(digestWith(definition.arms));
  expect(JSON.stringify(definition)).not.toContain("2026-09-23");
});
