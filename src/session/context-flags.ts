import { effectiveBudget } from "../arm/meter.ts";
import type { Arm, Policies } from "../domain/scenario.ts";
import type { Flag } from "../domain/verdict.ts";
import { modelFamily } from "../model/model-ref.ts";
import { differences } from "../scenario/declared-differences.ts";

/** Two arms as they ran or will run: with the model that is really used. */
export type Pair = readonly [Arm, Arm];

/** What is known of a comparison before anybody judges it. */
export function contextFlags(pair: Pair, policies: Policies, judge_model: string): Flag[] {
  const flags: Flag[] = [];
  if (differences(...pair).length === 0) flags.push("no_contrast");
  if (pair.some((arm) => hasIdleCap(arm, policies))) flags.push("cost_cap_inactive");
  if (sharesOneFamily(judge_model, pair)) flags.push("self_family");
  return flags;
}

/** A cap on cost cannot be enforced without prices. */
const hasIdleCap = (arm: Arm, { budget }: Policies) =>
  arm.price_per_mtok === null && effectiveBudget(budget, arm.limits).max_cost_usd !== null;

/** The judge may favour its own kin when only one arm is of it. */
export function sharesOneFamily(judge: string, [first, second]: Pair): boolean {
  const own = modelFamily(judge);
  return own !== null && (modelFamily(first.model) === own) !== (modelFamily(second.model) === own);
}
