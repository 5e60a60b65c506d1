import type { ArmSummary } from "./session.ts";
import type { Facts } from "./verdict.ts";

/**
 * The exit code with which an external agent crashed; null where it did not. One that abeval ended has none, and one that a
 * full context ended gave up in order.
 */
export function crashOf({ status, agent }: Pick<ArmSummary, "status" | "agent">): number | null {
  if (status !== "finished" || !agent || agent.exit_code === null || agent.exit_code === 0) return null;
  return agent.ok_exit?.includes(agent.exit_code) ? null : agent.exit_code;
}

/** As a verdict tells it. */
export const isCrashed = ({ crashed }: Pick<Facts, "crashed">): boolean => crashed !== undefined;

/** Codes above this are a signal's number more, as shells tell it. Linux has 64 signals. */
const SIGNALED = 128;

export const crashText = (exit_code: number): string =>
  exit_code > SIGNALED && exit_code <= SIGNALED + 64 ? `signal ${exit_code - SIGNALED}` : `exit code ${exit_code}`;
