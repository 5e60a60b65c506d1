import { effectiveBudget } from "../../arms/arm/budget.ts";
import { leastFirstTurn } from "../../arms/arm/conversation.ts";
import { judgeModelRef, OFFLINE_PROVIDERS, splitModelRef } from "../../arms/model/model-ref.ts";
import type { Arm } from "../../domain/arm.ts";
import { Failure } from "../../domain/failure.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import { FREE, type Price, type PriceList, priceKey } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { SessionServices } from "./services.ts";

/**
 * A cost limit is enforced only where the cost is known.
 * @throws Failure `invalid_request` for an arm with a cost limit and no price.
 */
export function demandArmPrices({ arms, policies }: Scenario): void {
  for (const arm of arms) {
    const cap = effectiveBudget(policies.budget, arm.limits).max_cost_usd;
    if (cap !== null && arm.price_per_mtok === null)
      throw unpriced(`arm "${arm.id}"`, arm.model, `max_cost_usd (${cap})`);
  }
}

interface Limited {
  /** The flag, as the refusal names it. */
  readonly limit: string;
  /** The price of the judge, or of each judge of a panel, by `<provider>/<model>`. */
  readonly judge_prices: ReadonlyMap<string, Price | null>;
}

/** @throws Failure `invalid_request` for the first model without a price. */
export function demandEveryPrice(arms: readonly Arm[], { limit, judge_prices }: Limited): void {
  for (const arm of arms) if (arm.price_per_mtok === null) throw unpriced(`arm "${arm.id}"`, arm.model, limit);
  demandJudgePrice({ limit, judge_prices });
}

/** @throws Failure `invalid_request` */
export function demandJudgePrice({ limit, judge_prices }: Limited): void {
  const who = judge_prices.size > 1 ? "a judge of the panel" : "the judge";
  for (const [model, price] of judge_prices) if (price === null) throw unpriced(who, model, limit);
}

const unpriced = (who: string, model: string, limit: string) =>
  new Failure(
    "invalid_request",
    `${who}: ${model} has no price, and ${limit} needs one; give price_per_mtok in the scenario, or the model in the file of --prices`,
    { details: { model } },
  );

/**
 * An arm whose model is never asked would lose by its price alone.
 * @throws Failure `invalid_request` for an arm whose own limit does not pay for its first turn.
 */
export function demandFirstTurns({ arms, policies, task }: Scenario): void {
  for (const arm of arms) {
    const cap = effectiveBudget(policies.budget, arm.limits).max_cost_usd;
    const least = cap === null ? null : leastFirstTurn(arm, task);
    if (cap === null || least === null || cap >= least) continue;
    throw new Failure(
      "invalid_request",
      `arm "${arm.id}": max_cost_usd (${cap}) does not pay for its first turn, which takes at least ${usdAtLeast(least)} USD; raise max_cost_usd, or take a cheaper model`,
      { details: { arm_id: arm.id, limit_usd: cap, needed_usd: usdAtLeast(least) } },
    );
  }
}

/**
 * Refuses a limit that one round is likely to exceed: before a round has run a series says nothing. An unknown cost refuses nothing.
 * @param what a round is, and how it can be made cheaper
 * @throws Failure `invalid_request` with the likely cost
 */
export function demandLikelyCost(likely_usd: number | null, max_cost_usd: number, what: LimitedWork): void {
  if (likely_usd === null || likely_usd <= max_cost_usd + EPSILON) return;
  const needed = usdAtLeast(likely_usd);
  throw new Failure(
    "invalid_request",
    `max_cost_usd (--max-cost): ${max_cost_usd} is below the likely cost of ${what.round}, about ${needed} USD; nothing was spent: give ${needed} or more, ${what.cheaper}`,
    { details: { field: "max_cost_usd", likely_usd: needed } },
  );
}

interface LimitedWork {
  /** Such as `one run`. */
  readonly round: string;
  readonly cheaper: string;
}

/** Rounded up to a hundredth of a cent: the figure is one that a user can give as the limit. */
export const usdAtLeast = (usd: number) => Math.ceil(usd * 10_000 - EPSILON) / 10_000;

/** Floating point. */
const EPSILON = 1e-6;

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

/** The list of prices, with what providers list for those of the models of which nobody said a price. */
export async function withListPrices(
  { prices, list_price }: Pick<SessionServices, "prices" | "list_price">,
  scenario: Scenario,
  judge_model: string,
): Promise<PriceList> {
  const used = [
    ...scenario.arms.filter(({ price_per_mtok, ran }) => price_per_mtok === null && !ran).map(({ model }) => model),
    ...judgesNamed(judge_model),
  ];
  const unknown = list_price ? used.filter((model) => priceOf(prices, scenario, model) === null) : [];
  const listed = new Map(prices);
  for (const model of new Set(unknown)) {
    const price = await list_price?.(model);
    if (price) listed.set(priceKey(model), price);
  }
  return listed;
}

/** Null when one of them is unknown. */
function sumPrices(prices: readonly (Price | null)[]): Price | null {
  const known = prices.filter((price) => price !== null);
  if (known.length < prices.length) return null;
  const sum = (part: (price: Price) => number) => known.reduce((total, price) => total + part(price), 0);
  const writes = known.some(({ cache_write }) => typeof cache_write === "number");
  const price_date = known.find((price) => price.price_date)?.price_date;
  return {
    in: sum((price) => price.in),
    out: sum((price) => price.out),
    cached_in: sum((price) => price.cached_in ?? price.in),
    ...(writes && { cache_write: sum((price) => price.cache_write ?? price.in) }),
    ...(price_date !== undefined && { price_date }),
  };
}

/** The scenario as it runs, each arm with the price of its model. `authored` is the scenario as its file says. */
export function withPrices(list: PriceList, authored: Scenario, scenario: Scenario): Scenario {
  const priced = (arm: Arm): Arm => ({
    ...arm,
    price_per_mtok: list.get(priceKey(arm.model)) ?? arm.price_per_mtok ?? priceOf(list, authored, arm.model),
  });
  const [first, second, ...others] = scenario.arms;
  return { ...scenario, arms: [priced(first), priced(second), ...others.map(priced)] };
}

const isFree = (model: string) => OFFLINE_PROVIDERS.includes(splitModelRef(model).provider);
