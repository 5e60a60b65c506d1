import { isCrashed } from "../../../domain/end-text.ts";
import { hasCallRules } from "../../../domain/policies.ts";
import { ranElsewhere } from "../../../domain/ran.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { stallMattered } from "../../../domain/stall.ts";
import { FLAGS, type Flag, type Kin, type Verdict } from "../../../domain/verdict.ts";
import type { ScoringRules } from "../asking/scoring-rules.ts";
import type { ScoredOutcome } from "../decide.ts";
import { isEqualWork, notRepeatable } from "../equal-work.ts";
import type { Case } from "../judge.ts";
import { favoursOne, isOneFamily, judgesOf } from "../kin.ts";
import { hasPreferenceConflict } from "./confidence.ts";
import type { JudgeResult } from "./judge-result.ts";
import { costLimited } from "./scope.ts";

interface FlagInput {
  readonly kase: Case;
  readonly facts: Verdict["facts"];
  readonly rules: ScoringRules;
  readonly result: JudgeResult;
  readonly model_name: string;
}

/** The flags of the session, the judge and the outcome, each once, in the documented order. */
export function flagsOf(
  { kase, facts, rules, result, model_name }: FlagInput,
  scored: ScoredOutcome,
  kin: Kin | null,
): Flag[] {
  const { gates, weights, tie_margin } = rules;
  const raised = new Set<Flag>([
    ...kase.flags,
    ...agentFlags(kase),
    ...armFlags(kase),
    ...result.flags,
    ...familyFlags(model_name, result, kin),
    ...maskedRepetitionFlags(scored, result),
    "single_trial",
  ]);
  if (hasPreferenceConflict({ calls: result.calls, tie_margin }, weights)) raised.add("score_preference_conflict");
  if (gates.no_winner && gates.no_winner !== "both_crashed") raised.add(gates.no_winner);
  if (isCrashed(facts.a) || isCrashed(facts.b)) raised.add("arm_crashed");
  if (kase.inputs_from_checkout) raised.add("inputs_from_checkout");
  if (isEqualWork(kase, result.calls.length > 0)) raised.add("equal_work");
  if (notRepeatable(kase).length > 0) raised.add("check_not_repeatable");
  if (costLimited(facts).length > 0) raised.add("arm_cost_limited");
  if (scored.probe_conflict) raised.add("judge_probe_conflict");
  if (result.calls.length === 0) raised.delete("judge_failed_self_test");
  const needless = needlessFlags(scored);
  return FLAGS.filter((flag) => raised.has(flag) && !needless.includes(flag));
}

/** The served model says who made it: behind a gateway the requested name does not. */
function* familyFlags(model_name: string, { calls }: JudgeResult, kin: Kin | null): Generator<Flag> {
  if (favoursOne(kin)) yield "self_family";
  if (isOneFamily(judgesOf(model_name, calls))) yield "panel_one_family";
}

/** Neither style nor words move a rule or a check, and a check that told the arms apart is known to fail. */
function needlessFlags({ decided_by }: ScoredOutcome): readonly Flag[] {
  if (decided_by === "gate") return ["different_agents", "prose_only"];
  return decided_by === "probe" ? ["different_agents", "prose_only", "no_objective_check"] : [];
}

function maskedRepetitionFlags({ second }: ScoredOutcome, { suspicions }: JudgeResult): readonly Flag[] {
  if (second === "unconfirmed" || second === "not_held") return ["unconfirmed"];
  if (second === "unusable") return ["unconfirmed", "judge_invalid"];
  if (second !== "overturns") return [];
  return [suspicions.length > 0 ? "injection_effective" : "prose_decided"];
}

/** What a reader should know about arms that are external agents. */
const agentFlags = ({ a, b, policies }: Pick<Case, "a" | "b" | "policies">): readonly Flag[] =>
  [a, b].flatMap(({ summary }) => [
    ...(paidOthers(summary) ? (["other_models"] as const) : []),
    ...(hidesCalls(summary) && hasCallRules(policies) ? (["rules_not_seen"] as const) : []),
  ]);

/** What a reader should know about any arms. */
function* armFlags({ a, b }: Pick<Case, "a" | "b">): Generator<Flag> {
  const summaries = [a.summary, b.summary];
  if (summaries.some(ranElsewhere)) yield "imported_arm";
  if (summaries.some(stallMattered)) yield "stalled";
  if (summaries.some(({ log_cut }) => log_cut)) yield "log_cut";
  if (!isChecked(a.summary, b.summary)) yield "no_objective_check";
}

/**
 * A hidden check ran on both arms that is known to fail before the work. One that is not may pass whatever an arm does, as
 * `true` would.
 */
function isChecked(a: Pick<ArmSummary, "probe">, b: Pick<ArmSummary, "probe">): boolean {
  const known = ({ probe }: Pick<ArmSummary, "probe">) =>
    probe?.checks.some(({ before }) => before === "fail") ?? false;
  return known(a) && known(b);
}

/** Models besides the arm's own replied, and not for nothing. */
const paidOthers = ({ other_models = [] }: ArmSummary) => other_models.some(({ cost_usd }) => cost_usd !== 0);

/** The agent worked, and no call of it passed abeval: its commands are text, or it made none. */
const hidesCalls = ({ agent, imported, turns, tool_calls }: ArmSummary) =>
  (imported?.run === undefined && imported?.form === null) || (agent !== undefined && turns > 0 && tool_calls === 0);
