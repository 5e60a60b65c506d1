import { effectiveBudget } from "../../arms/arm/budget.ts";
import { leastFirstTurn } from "../../arms/arm/conversation.ts";
import { judgeModelRef, OFFLINE_PROVIDERS, splitModelRef } from "../../arms/model/model-ref.ts";
import type { Arm } from "../../domain/arm.ts";
import { Failure } from "../../domain/failure.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import { FREE, type Price, type PriceList, priceKey } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { mostCostOf } from "../../domain/usage.ts";
import { firstJudging } from "./worst-case-cost.ts";

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
      `arm "${arm.id}": max_cost_usd (${cap}) does not pay for its first turn, which takes at least ${atLeast(least)} USD; raise max_cost_usd, or take a cheaper model`,
      { details: { arm_id: arm.id, limit_usd: cap, needed_usd: atLeast(least) } },
    );
  }
}

/**
 * The scenario under a limit for arms and judge together. What one question in each order can cost is reserved for the judge. Each arm
 * gets half of the rest, so that no arm spends the other's money.
 * @throws Failure `invalid_request` when half of the rest does not pay for an arm's first turn.
 */
export function withinCost(scenario: Scenario, max_cost_usd: number, { price, judges }: PricedJudge): Scenario {
  const reserved = mostCostOf(price, firstJudging(scenario)) ?? 0;
  const share = Math.floor((max_cost_usd - reserved) * (MICRO / 2) + EPSILON) / MICRO;
  demandShare(scenario, { max_cost_usd, reserved, share, judges });
  const limited = (arm: Arm): Arm => {
    const own = effectiveBudget(scenario.policies.budget, arm.limits).max_cost_usd ?? share;
    return { ...arm, limits: { ...arm.limits, max_cost_usd: Math.min(own, share) } };
  };
  const [first, second] = scenario.arms;
  return { ...scenario, arms: [limited(first), limited(second)] };
}

interface PricedJudge {
  /** The judge's price; for a panel, the price of one token to each of its judges. */
  readonly price: Price | null;
  /** One, or those of a panel. */
  readonly judges: number;
}

/** A share is a whole number of millionths of a dollar: it is shown to people. */
const MICRO = 1_000_000;

/** How a limit is shared out, USD. */
interface Shares {
  readonly max_cost_usd: number;
  /** What is set aside for the judge, USD. */
  readonly reserved: number;
  /** What each arm may spend, USD. */
  readonly share: number;
  readonly judges: number;
}

function demandShare(scenario: Scenario, { max_cost_usd, reserved, share, judges }: Shares): void {
  const needs = scenario.arms.map((arm) => ({ arm, least: leastFirstTurn(arm, scenario.task) ?? 0 }));
  const [costliest] = needs.toSorted((a, b) => b.least - a.least);
  if (costliest === undefined || (share > 0 && share >= costliest.least)) return;
  const { arm, least } = costliest;
  const needed = atLeast(reserved + 2 * Math.max(least, 1 / MICRO));
  throw new Failure(
    "invalid_request",
    `--max-cost ${max_cost_usd} leaves ${share > 0 ? `each arm ${share} USD` : "nothing for the arms"}${reservedFor(scenario, reserved, judges)}; the first turn of arm "${arm.id}" takes at least ${atLeast(least)} USD; give --max-cost ${needed} or more${reserved > 0 ? CHEAPER_JUDGE : ""}`,
    { details: { arm_id: arm.id, share_usd: Math.max(0, share), needed_usd: needed } },
  );
}

function reservedFor(scenario: Scenario, reserved: number, judges: number): string {
  if (reserved === 0) return "";
  const { tokens_in, tokens_out } = firstJudging(scenario);
  const calls = judges === 1 ? "two judge calls" : `two calls of each of ${judges} judges`;
  return `: ${atLeast(reserved)} USD are reserved for ${calls}, each of up to ${tokens_in / 2} tokens in and ${tokens_out / 2} out`;
}

const CHEAPER_JUDGE =
  ", or reserve less: a lower rubric.judge.max_evidence_tokens, a cheaper judge, or --judge-model builtin/evidence";

/** Rounded up to a hundredth of a cent: the figure is one that a user can give as the limit. */
const atLeast = (usd: number) => Math.ceil(usd * 10_000 - EPSILON) / 10_000;

/** Floating point: 0.512 USD must give two shares of 0.256. */
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
