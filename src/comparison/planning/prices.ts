import { judgeModelRef, OFFLINE_PROVIDERS, splitModelRef } from "../../arms/model/model-ref.ts";
import type { Arm } from "../../domain/arm.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import { FREE, type Price, type PriceList, priceKey } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";

/**
 * The price of a model, or of a token to every judge of a panel: from the list, else from the scenario, which names prices of arms and of its judge. Scripts and the
 * built-in judge are free. Null when the price is unknown.
 */
export function priceOf(list: PriceList, scenario: Scenario, model: string): Price | null {
  const key = priceKey(model);
  const { judge } = scenario.rubric;
  const ofJudge =
    judge.model !== null && priceKey(judgeModelRef(judge.model)) === key ? judge.price_per_mtok : undefined;
  const members = judgesNamed(model);
  if (members.length > 1) return ofJudge ?? sumPrices(members.map((member) => priceOf(list, scenario, member)));
  const ofArm = scenario.arms.find((arm) => arm.price_per_mtok !== null && priceKey(arm.model) === key);
  return list.get(key) ?? ofJudge ?? ofArm?.price_per_mtok ?? (isFree(model) ? FREE : null);
}

/** Null when one of them is unknown. */
function sumPrices(prices: readonly (Price | null)[]): Price | null {
  const known = prices.filter((price) => price !== null);
  if (known.length < prices.length) return null;
  const sum = (part: (price: Price) => number) => known.reduce((total, price) => total + part(price), 0);
  const writes = known.some(({ cache_write }) => typeof cache_write === "number");
  return {
    in: sum((price) => price.in),
    out: sum((price) => price.out),
    cached_in: sum((price) => price.cached_in ?? price.in),
    ...(writes && { cache_write: sum((price) => price.cache_write ?? price.in) }),
  };
}

/** The scenario as it runs, each arm with the price of its model. `authored` is the scenario as its file says. */
export function withPrices(list: PriceList, authored: Scenario, scenario: Scenario): Scenario {
  const priced = (arm: Arm): Arm => ({
    ...arm,
    price_per_mtok: list.get(priceKey(arm.model)) ?? arm.price_per_mtok ?? priceOf(list, authored, arm.model),
  });
  const [first, second] = scenario.arms;
  return { ...scenario, arms: [priced(first), priced(second)] };
}

const isFree = (model: string) => OFFLINE_PROVIDERS.includes(splitModelRef(model).provider);
