import { FREE, type PriceList, priceKey } from "../domain/price-list.ts";
import type { Arm, Price, Scenario } from "../domain/scenario.ts";
import { judgeModelRef, OFFLINE_PROVIDERS, splitModelRef } from "../model/model-ref.ts";

/**
 * The price of a model: from the list, else from the scenario, which names prices of arms and of its judge. Scripts and the
 * built-in judge are free. Null when the price is unknown.
 */
export function priceOf(list: PriceList, scenario: Scenario, model: string): Price | null {
  const key = priceKey(model);
  const { judge } = scenario.rubric;
  const ofJudge =
    judge.model !== null && priceKey(judgeModelRef(judge.model)) === key ? judge.price_per_mtok : undefined;
  const ofArm = scenario.arms.find((arm) => arm.price_per_mtok !== null && priceKey(arm.model) === key);
  return list.get(key) ?? ofJudge ?? ofArm?.price_per_mtok ?? (isFree(model) ? FREE : null);
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
