import { effectiveBudget } from "../../arms/arm/budget.ts";
import { modelFamily } from "../../arms/model/model-ref.ts";
import type { Arm } from "../../domain/arm.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import type { Policies } from "../../domain/policies.ts";
import type { Flag } from "../../domain/verdict.ts";
import { differences } from "../scenario/declared-differences.ts";

/** Two arms with the models that they really ran with, or will. */
type Pair = readonly [Arm, Arm];

/** Flags that are known before anybody judges. */
export function contextFlags(pair: Pair, policies: Policies, judge_model: string): Flag[] {
  const flags: Flag[] = [];
  if (differences(...pair).length === 0) flags.push("no_contrast");
  if (pair.some((arm) => hasIdleCap(arm, policies))) flags.push("cost_cap_inactive");
  if (sharesOneFamily(judge_model, pair)) flags.push("self_family");
  if (isOneFamily(judge_model)) flags.push("panel_one_family");
  return flags;
}

/** A cost limit cannot be enforced without a price. */
const hasIdleCap = (arm: Arm, { budget }: Policies) =>
  arm.price_per_mtok === null && effectiveBudget(budget, arm.limits).max_cost_usd !== null;

/**
 * Whether judges of one arm's family alone could decide: one judge that is kin of exactly one arm, or most of a panel. What
 * is kin of both arms favours neither.
 */
export function sharesOneFamily(judge: string, [first, second]: Pair): boolean {
  const judges = judgesNamed(judge).map(modelFamily);
  const [a, b] = [modelFamily(first.model), modelFamily(second.model)];
  const kin = (own: string | null, other: string | null) =>
    own === null || own === other ? 0 : judges.filter((family) => family === own).length;
  return Math.max(kin(a, b), kin(b, a)) > judges.length / 2;
}

/** Whether all judges of a panel are of one family: their errors are alike, so that more of them prove no more. */
export function isOneFamily(judge: string): boolean {
  const judges = judgesNamed(judge);
  return judges.length > 1 && new Set(judges.map(modelFamily)).size === 1;
}
