import { effectiveBudget } from "../arm/budget.ts";
import type { Arm } from "../domain/arm.ts";
import type { Price } from "../domain/price-list.ts";
import type { Scenario } from "../domain/scenario.ts";
import type { SessionSettings } from "../domain/session.ts";
import { mostCostOf, sumKnown } from "../domain/usage.ts";
import { type Judgeable, longestJudging, longestRun } from "./run-size.ts";

/** By the parts of a run, USD; null where it is unknown. */
export interface CostByPart {
  readonly arms: readonly [number | null, number | null];
  readonly judge: number | null;
}

/** The most that each part of a run can cost within its budgets; null without a price. */
export type WorstCaseCost = CostByPart;

export const worstCaseOfRun = (scenario: Scenario, judge_price: Price | null): WorstCaseCost => ({
  arms: [worstCaseOfArm(scenario, scenario.arms[0]), worstCaseOfArm(scenario, scenario.arms[1])],
  judge: worstCaseOfJudging(scenario, judge_price),
});

export const worstCaseTotal = ({ arms, judge }: WorstCaseCost): number | null => sumKnown([...arms, judge]);

/** What somebody pays of a run's cost: what is replayed was paid for when it was recorded. */
export function payable({ arms: [first, second] }: Scenario, replayed: Replayed, { arms, judge }: CostByPart) {
  const unlessReplayed = (who: string, usd: number | null) => (replayed?.includes(who) ? 0 : usd);
  return sumKnown([
    unlessReplayed(first.id, arms[0]),
    unlessReplayed(second.id, arms[1]),
    unlessReplayed("judge", judge),
  ]);
}

/** As in `SessionSettings`. */
type Replayed = SessionSettings["replayed"];

/** A cost limit can end the arm before its tokens are used up. */
export function worstCaseOfArm(scenario: Scenario, arm: Arm): number | null {
  const usd = mostCostOf(arm.price_per_mtok, longestRun(scenario, arm));
  const { max_cost_usd } = effectiveBudget(scenario.policies.budget, arm.limits);
  return usd === null ? null : Math.min(usd, max_cost_usd ?? usd);
}

export const worstCaseOfJudging = (scenario: Judgeable, price: Price | null): number | null =>
  mostCostOf(price, longestJudging(scenario));
