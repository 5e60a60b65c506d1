import { effectiveBudget } from "../arm/budget.ts";
import type { Arm, Price, Scenario } from "../domain/scenario.ts";
import { mostCostOf, sumKnown } from "../domain/usage.ts";
import { type Judgeable, longestJudging, longestRun } from "./run-size.ts";

/** The most that each part of a run can cost within its budgets, USD; null without a price. */
export interface WorstCaseCost {
  readonly arms: readonly [number | null, number | null];
  readonly judge: number | null;
}

export const worstCaseOfRun = (scenario: Scenario, judge_price: Price | null): WorstCaseCost => ({
  arms: [worstCaseOfArm(scenario, scenario.arms[0]), worstCaseOfArm(scenario, scenario.arms[1])],
  judge: worstCaseOfJudging(scenario, judge_price),
});

export const worstCaseTotal = ({ arms, judge }: WorstCaseCost): number | null => sumKnown([...arms, judge]);

/** A cost limit can end the arm before its tokens are used up. */
export function worstCaseOfArm(scenario: Scenario, arm: Arm): number | null {
  const usd = mostCostOf(arm.price_per_mtok, longestRun(scenario, arm));
  const { max_cost_usd } = effectiveBudget(scenario.policies.budget, arm.limits);
  return usd === null ? null : Math.min(usd, max_cost_usd ?? usd);
}

export const worstCaseOfJudging = (scenario: Judgeable, price: Price | null): number | null =>
  mostCostOf(price, longestJudging(scenario));
