import { hasCallRules } from "../../../domain/policies.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { stallMattered } from "../../../domain/stall.ts";
import type { Flag } from "../../../domain/verdict.ts";
import { isChecked } from "../facts.ts";
import type { Case } from "../judge.ts";

/** What a reader should know of arms that are external agents. */
export const agentFlags = ({ a, b, policies }: Pick<Case, "a" | "b" | "policies">): readonly Flag[] =>
  [a, b].flatMap(({ summary }) => [
    ...(paidOthers(summary) ? (["other_models"] as const) : []),
    ...(hidesCalls(summary) && hasCallRules(policies) ? (["rules_not_seen"] as const) : []),
  ]);

/** What a reader should know of any arms. */
export function* armFlags({ a, b }: Pick<Case, "a" | "b">): Generator<Flag> {
  const summaries = [a.summary, b.summary];
  if (summaries.some(({ imported }) => imported && !imported.run)) yield "imported_arm";
  if (summaries.some(stallMattered)) yield "stalled";
  if (summaries.some(({ log_cut }) => log_cut)) yield "log_cut";
  if (!isChecked(a.summary, b.summary)) yield "no_objective_check";
}

/** Models besides the arm's own replied, and not for nothing. */
const paidOthers = ({ other_models = [] }: ArmSummary) => other_models.some(({ cost_usd }) => cost_usd !== 0);

/** The agent worked, and no call of it passed abeval: its commands are text, or it made none. */
const hidesCalls = ({ agent, imported, turns, tool_calls }: ArmSummary) =>
  (imported?.run === undefined && imported?.form === null) || (agent !== undefined && turns > 0 && tool_calls === 0);
