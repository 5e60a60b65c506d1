import { Failure } from "../domain/failure.ts";
import type { SessionListing, SessionState } from "../domain/session.ts";
import type { CancelAskedEntry, CreatedEntry, JudgedEntry, RunEntry, SessionEntry } from "../domain/session-entry.ts";
import type { Ledger } from "./ledger.ts";
import type { SelfTestShelf } from "./self-test-shelf.ts";

export interface SessionQuery {
  readonly scenario?: string;
  readonly state?: SessionState;
  /** Rows at most; absent = all. */
  readonly limit?: number;
  /** Only sessions older than this one. */
  readonly before?: string;
}

/** The right to write a session's log. One attempt at a time has it. */
export interface Run {
  readonly session_id: string;
  readonly attempt: number;
}

/** An entry with its place. `n` counts from 1 in each session, without gaps. */
export interface LoggedEntry {
  readonly n: number;
  readonly attempt: number;
  readonly entry: SessionEntry;
}

/** `written` survives the process, `durable` a power cut too. */
export type Safety = "written" | "durable";

/**
 * Sessions, each an append-only log. Entries of one call are stored together or not at all. Calls of one process
 * are stored in their order. Nobody may change what was given to a store or read from it.
 * @throws Failure `storage_full` or `storage_failed`, from every method; then nothing of the call is stored.
 */
export interface SessionStore extends SelfTestShelf, Disposable {
  readonly persistent: boolean;
  readonly ledger: Ledger;
  /** Begins a log, written; undefined when its id is taken. */
  create(entry: CreatedEntry): Promise<Run | undefined>;
  /**
   * An end with a failure is kept when it cannot be stored: this process reads it, and it is stored when that works again.
   * A completion that cannot be stored is refused, so that the run can end with that failure.
   * @throws Failure `interrupted` when another attempt has taken the session over, or it has ended.
   */
  append(run: Run, entries: readonly RunEntry[], safety: Safety): Promise<void>;
  /** Takes over a session that has not ended, written; undefined when there is none. */
  takeOver(session_id: string, at: string): Promise<Run | undefined>;
  /** Adds an entry that does not come from a run; durable, to all sessions or to none. Unknown sessions are left out. */
  add(session_ids: readonly string[], entry: JudgedEntry | CancelAskedEntry): Promise<void>;
  /** Entries beyond place `from`, in order; none for an unknown session. Writes nothing. */
  read(session_id: string, from?: number): Promise<readonly LoggedEntry[]>;
  /** Newest first. Writes nothing. @throws Failure `unknown_session` for `before`. */
  list(query?: SessionQuery): Promise<readonly SessionListing[]>;
  /** Calls `wake` when entries of this process can be read and are as safe as was asked. The returned function ends it. */
  watch(session_id: string, wake: () => void): () => void;
}

/** For a writer whose session ended or went to another attempt. */
export const superseded = (session_id: string) =>
  new Failure("interrupted", `${session_id} has ended, or another process has taken it over`);
