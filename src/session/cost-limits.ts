import { effectiveBudget } from "../arm/meter.ts";
import { Failure } from "../domain/failure.ts";
import type { Arm, Price, Scenario } from "../domain/scenario.ts";
import { dearestQuestions } from "./dearest.ts";

/**
 * A limit that cannot be counted against is none.
 * @throws Failure `invalid_request` for an arm with a cost limit and no price.
 */
export function demandArmPrices({ arms, policies }: Scenario): void {
  for (const arm of arms) {
    const cap = effectiveBudget(policies.budget, arm.limits).max_cost_usd;
    if (cap !== null && arm.price_per_mtok === null)
      throw unpriced(`arm "${arm.id}"`, arm.model, `max_cost_usd (${cap})`);
  }
}

export interface Limited {
  /** As the refusal names it: `--max-cost`. */
  readonly limit: string;
  readonly judge_model: string;
  readonly judge_price: Price | null;
}

/** @throws Failure `invalid_request` for the first model without a price. */
export function demandEveryPrice({ arms }: Scenario, { limit, judge_model, judge_price }: Limited): void {
  for (const arm of arms) if (arm.price_per_mtok === null) throw unpriced(`arm "${arm.id}"`, arm.model, limit);
  demandJudgePrice({ limit, judge_model, judge_price });
}

/** @throws Failure `invalid_request` */
export function demandJudgePrice({ limit, judge_model, judge_price }: Limited): void {
  if (judge_price === null) throw unpriced("the judge", judge_model, limit);
}

const unpriced = (who: string, model: string, limit: string) =>
  new Failure(
    "invalid_request",
    `${who}: ${model} has no price, and ${limit} needs one; give price_per_mtok in the scenario, or the model in the file of --prices`,
    { details: { model } },
  );

/**
 * The scenario under a limit for arms and judge together: what one question in each order may cost is kept for the judge,
 * and each arm may spend half of the rest, so that neither lives at the other's expense.
 * @throws Failure `invalid_request` when nothing is left for the arms.
 */
export function withinCost(scenario: Scenario, max_cost_usd: number, judge_price: Price | null): Scenario {
  const kept = dearestQuestions(scenario, judge_price) ?? 0;
  const share = (max_cost_usd - kept) / 2;
  if (share <= 0)
    throw new Failure(
      "invalid_request",
      `--max-cost ${max_cost_usd} leaves nothing for the arms: to ask the judge in both orders may cost ${kept.toFixed(4)} USD; raise it, take a cheaper judge, or --judge-model builtin/evidence`,
    );
  const limited = (arm: Arm): Arm => {
    const own = effectiveBudget(scenario.policies.budget, arm.limits).max_cost_usd ?? share;
    return { ...arm, limits: { ...arm.limits, max_cost_usd: Math.min(own, share) } };
  };
  const [first, second] = scenario.arms;
  return { ...scenario, arms: [limited(first), limited(second)] };
}
