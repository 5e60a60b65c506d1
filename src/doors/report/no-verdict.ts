import type { SessionOutcome } from "../../domain/session.ts";

type Ended = Pick<SessionOutcome, "state" | "failure">;

/**
 * How a session without a verdict ended: `failed while judging (provider_failed); the same run may succeed when it is started
 * again`. Nothing in it was written by anybody.
 */
export function howItEnded({ state, failure }: Ended): string {
  if (failure === null) return state;
  const { stage, code, retryable } = failure;
  const again = retryable ? "; the same run may succeed when it is started again" : "";
  return `${state} while ${stage} (${code})${again}`;
}

/** What stopped it, in the words of whoever did. */
export const whyNoVerdict = ({ failure }: Ended): string => failure?.message ?? "the session did not finish";
