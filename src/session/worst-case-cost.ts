import { effectiveBudget } from "../arm/budget.ts";
import type { Arm } from "../domain/arm.ts";
import type { Price } from "../domain/price-list.ts";
import type { Scenario } from "../domain/scenario.ts";
import type { SessionSettings } from "../domain/session.ts";
import { dearestToken, mostCostOf, sumKnown } from "../domain/usage.ts";
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

/**
 * A cost limit can end the arm before its tokens are used up. How much a turn of an agent of somebody else writes, and how long
 * it has its input kept, nobody limits.
 */
export function worstCaseOfArm(scenario: Scenario, arm: Arm): number | null {
  const { max_cost_usd, max_tokens } = effectiveBudget(scenario.policies.budget, arm.limits);
  const price = arm.price_per_mtok;
  const usd = arm.agent
    ? price && (max_tokens * dearestToken(price)) / 1_000_000
    : mostCostOf(price, longestRun(scenario, arm));
  return usd === null ? null : Math.min(usd, max_cost_usd ?? usd);
}

export const worstCaseOfJudging = (scenario: Judgeable, price: Price | null): number | null =>
  mostCostOf(price, longestJudging(scenario));
