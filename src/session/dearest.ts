import { effectiveBudget } from "../arm/meter.ts";
import type { Arm, Price, Scenario } from "../domain/scenario.ts";
import { costOf, sumKnown } from "../domain/usage.ts";
import { firstJudging, type Judgeable, longestJudging, longestRun, type RunSize } from "./run-size.ts";

/** The most that each part of a run may cost by its budgets, USD; null without a price. */
export interface Dearest {
  readonly arms: readonly [number | null, number | null];
  readonly judge: number | null;
}

export const dearestRun = (scenario: Scenario, judge: Price | null): Dearest => ({
  arms: [dearestArm(scenario, scenario.arms[0]), dearestArm(scenario, scenario.arms[1])],
  judge: dearestJudging(scenario, judge),
});

export const dearestSum = ({ arms, judge }: Dearest): number | null => sumKnown([...arms, judge]);

/** The cap ends an arm before its tokens do. */
export function dearestArm(scenario: Scenario, arm: Arm): number | null {
  const usd = priced(longestRun(scenario, arm), arm.price_per_mtok);
  const { max_cost_usd } = effectiveBudget(scenario.policies.budget, arm.limits);
  return usd === null ? null : Math.min(usd, max_cost_usd ?? usd);
}

export const dearestJudging = (scenario: Judgeable, price: Price | null): number | null =>
  priced(longestJudging(scenario), price);

/** What has to be left for a judge to be asked at all: one question in each order. */
export const dearestQuestions = (scenario: Judgeable, price: Price | null): number | null =>
  priced(firstJudging(scenario), price);

/** Nothing cached. */
export const priced = (size: RunSize, price: Price | null): number | null =>
  costOf(price, { ...size, cached_tokens: 0 });
