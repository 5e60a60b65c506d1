import { effectiveBudget } from "../arm/budget.ts";
import type { Arm, Policies } from "../domain/scenario.ts";
import type { Flag } from "../domain/verdict.ts";
import { modelFamily } from "../model/model-ref.ts";
import { differences } from "../scenario/declared-differences.ts";

/** Two arms with the models that they really ran with, or will. */
export type Pair = readonly [Arm, Arm];

/** Flags that are known before anybody judges. */
export function contextFlags(pair: Pair, policies: Policies, judge_model: string): Flag[] {
  const flags: Flag[] = [];
  if (differences(...pair).length === 0) flags.push("no_contrast");
  if (pair.some((arm) => hasIdleCap(arm, policies))) flags.push("cost_cap_inactive");
  if (sharesOneFamily(judge_model, pair)) flags.push("self_family");
  return flags;
}

/** A cost limit cannot be enforced without a price. */
const hasIdleCap = (arm: Arm, { budget }: Policies) =>
  arm.price_per_mtok === null && effectiveBudget(budget, arm.limits).max_cost_usd !== null;

/** Whether exactly one arm is of the judge's family: the judge may favour it. */
export function sharesOneFamily(judge: string, [first, second]: Pair): boolean {
  const own = modelFamily(judge);
  return own !== null && (modelFamily(first.model) === own) !== (modelFamily(second.model) === own);
}
