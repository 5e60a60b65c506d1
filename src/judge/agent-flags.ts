import { hasCallRules } from "../domain/policies.ts";
import type { ArmSummary } from "../domain/session.ts";
import type { Flag } from "../domain/verdict.ts";
import type { Case } from "./judge.ts";

/** What a reader should know of arms that are external agents. */
export const agentFlags = ({ a, b, policies }: Pick<Case, "a" | "b" | "policies">): readonly Flag[] =>
  [a, b].flatMap(({ summary }) => [
    ...(paidOthers(summary) ? (["other_models"] as const) : []),
    ...(hidesCalls(summary) && hasCallRules(policies) ? (["rules_not_seen"] as const) : []),
  ]);

/** Models besides the arm's own replied, and not for nothing. */
const paidOthers = ({ other_models = [] }: ArmSummary) => other_models.some(({ cost_usd }) => cost_usd !== 0);

/** The agent worked, and no call of it passed abeval: its commands are text, or it made none. */
const hidesCalls = ({ agent, turns, tool_calls }: ArmSummary) => agent !== undefined && turns > 0 && tool_calls === 0;
