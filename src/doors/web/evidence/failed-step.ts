import type { Decision } from "../../../domain/decision.ts";

/** How a step went wrong, in a word or two; null when it did not. A refusal, a limit and an error say it by their kind. */
export function failureOf(decision: Decision): string | null {
  if (decision.kind !== "tool_call" || decision.detail === undefined) return null;
  const { ok, exit_code } = decision.detail;
  if (exit_code !== null && exit_code !== 0) return `exit ${exit_code}`;
  return ok ? null : "failed";
}

/** Whether something went wrong in a step. */
export const isFailure = (decision: Decision): boolean =>
  failureOf(decision) !== null ||
  decision.kind === "error" ||
  decision.kind === "policy_block" ||
  decision.kind === "policy_violation" ||
  decision.kind === "limit_reached";

/** The conversation of an external agent that a step belongs to; 1 is the main one, null means none. */
export const threadOf = ({ detail }: Decision): number | null =>
  detail && "thread" in detail && detail.thread !== undefined ? detail.thread : null;
