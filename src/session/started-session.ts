import type { SessionOutcome } from "../domain/session.ts";

export interface StartedSession {
  readonly session_id: string;
  /** A failed run is an outcome too. @throws Failure when the outcome cannot be read. */
  readonly done: Promise<SessionOutcome>;
}
