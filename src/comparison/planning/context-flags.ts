import { effectiveBudget } from "../../arms/arm/budget.ts";
import { isUnversioned } from "../../domain/answering.ts";
import type { Arm } from "../../domain/arm.ts";
import type { Policies } from "../../domain/policies.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { postedChecks } from "../../domain/task.ts";
import type { Flag } from "../../domain/verdict.ts";
import { favoursOne, isOneFamily, judgesOf, kinOf } from "../judge/kin.ts";
import { differences } from "../scenario/declared-differences.ts";

/** Two arms with the models that they really ran with, or will. */
type Pair = readonly [Arm, Arm];

/** Flags that are known before anybody judges. */
export function contextFlags(
  pair: Pair,
  { policies, task }: Pick<Scenario, "policies" | "task">,
  judge_model: string,
): Flag[] {
  const flags: Flag[] = [];
  if (differences(...pair).length === 0) flags.push("no_contrast");
  if (pair.some((arm) => hasIdleCap(arm, policies))) flags.push("cost_cap_inactive");
  if (pair.some(({ endpoint }) => endpoint !== undefined)) flags.push("endpoint_arm");
  if ([...pair, ...postedChecks(task)].some(isUnversioned)) flags.push("arm_unversioned");
  const judges = judgesOf(judge_model);
  if (favoursOne(kinOf(judges, pair))) flags.push("self_family");
  if (isOneFamily(judges)) flags.push("panel_one_family");
  return flags;
}

/** A cost limit cannot be enforced without a price. */
const hasIdleCap = (arm: Arm, { budget }: Policies) =>
  arm.price_per_mtok === null && effectiveBudget(budget, arm.limits).max_cost_usd !== null;
