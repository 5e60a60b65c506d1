import type { Decision } from "../domain/decision.ts";
import type { SessionListing, SessionOutcome, SessionState } from "../domain/session.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { Ledger } from "./ledger.ts";

export interface SessionQuery {
  readonly scenario?: string;
  readonly state?: SessionState;
  /** Rows at most; absent = all. */
  readonly limit?: number;
  /** Only sessions older than this one. */
  readonly before?: string;
}

/**
 * Sessions by id. What is written survives the process when `committed` has resolved, within the same turn of the event
 * loop, and a power cut when `durable` has; by then what is kept of it for people is written too, where that is possible.
 * @throws Failure `storage_full` or `storage_failed`.
 */
export interface SessionStore extends Disposable {
  readonly persistent: boolean;
  readonly ledger: Ledger;
  /** Claims the id for this process; false when it is taken. What is given must not be changed afterwards. */
  create(outcome: SessionOutcome): boolean;
  /** As they happen: a killed process loses at most the model call in flight. */
  append(session_id: string, arm_id: string, decision: Decision): void;
  /** Replaces everything known of the session but the decisions and verdicts already appended. */
  save(outcome: SessionOutcome): void;
  /** One more verdict on the session's arms, beside the run's own. */
  addVerdict(session_id: string, verdict: Verdict): void;
  /** Resolves when every write before it survives the process. @throws Failure when they are lost. */
  committed(): Promise<void>;
  /** Resolves when every write before it is on the disk. @throws Failure when they are lost. */
  durable(): Promise<void>;
  get(session_id: string): SessionOutcome | undefined;
  /** Persisted sessions, newest first; the memory store lists none. @throws Failure `unknown_session` for `before`. */
  list(query?: SessionQuery): readonly SessionListing[];
}
