import type { FailureCode } from "../domain/failure.ts";
import type { SessionOutcome } from "../domain/session.ts";

/** The only table from what happened to an exit status. */
export const EXIT = { done: 0, failed: 1, usage: 2, invalid: 3, interrupted: 130, terminated: 143 } as const;

export function exitCodeOf({ state, verdict, failure }: SessionOutcome): number {
  if (state === "cancelled" || state === "interrupted") return EXIT.interrupted;
  if (verdict === null || failure !== null) return EXIT.failed;
  return verdict.outcome === "invalid" ? EXIT.invalid : EXIT.done;
}

/** Refusals before anything was spent are the caller's to mend; a fault of ours is not. */
export const exitCodeBeforeStart = (code: FailureCode) => (code === "internal" ? EXIT.failed : EXIT.usage);
