import { Failure } from "../domain/failure.ts";
import type { SessionOutcome } from "../domain/session.ts";
import type { AddedEntry, CreatedEntry, RunEntry, SessionEntry } from "../domain/session-entry.ts";
import type {
  SessionListing,
  SessionListRequest,
  SessionSummary,
  SessionSummaryRequest,
} from "../domain/session-list.ts";
import type { TrialRow } from "../domain/trial.ts";
import type { Ledger } from "./ledger.ts";
import type { Pruning } from "./pruning.ts";
import type { RequestKey, RequestKeys } from "./request-keys.ts";
import type { SelfTestStore } from "./self-test-store.ts";
import type { SeriesStore } from "./series-store.ts";

/** A query without a limit asks for all. */
export type SessionQuery = SessionListRequest;

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

/**
 * Runs that a series is made of: the trials of a planned one, or the first `MAX_TRIALS_IN_ALL`, or `limit`, stored runs of a comparison;
 * or one run.
 */
export type TrialsOf =
  | { readonly series_id: string }
  | { readonly comparison: string; readonly limit?: number }
  | { readonly session_id: string };

/**
 * Entries that depend on the trials of the run's series as they are in the moment of the write, this one's own row as it was
 * before; a run that is no trial gets none. Pure: it may be called more than once.
 */
export type EntriesOfTrials = (trials: readonly TrialRow[]) => readonly RunEntry[];

/** `written` survives the process, `durable` a power cut too. */
export type Safety = "written" | "durable";

/**
 * Sessions, each an append-only log. Entries of one call are stored together or not at all. Calls of one process
 * are stored in their order. Nobody may change what was given to a store or read from it.
 * @throws Failure `storage_full` or `storage_failed`, from every method; then nothing of the call is stored.
 */
export interface SessionStore extends Disposable {
  readonly persistent: boolean;
  readonly ledger: Ledger;
  readonly series: SeriesStore;
  readonly self_tests: SelfTestStore;
  readonly request_keys: RequestKeys;
  /** Absent: what it keeps goes with the process. */
  readonly pruning?: Pruning;
  /** Begins a log, written; undefined when its id is taken, or the key of who asks for it. */
  create(entry: CreatedEntry, key?: RequestKey): Promise<Run | undefined>;
  /**
   * An end with a failure is kept when it cannot be stored: this process reads it, and it is stored when that works again.
   * A completion that cannot be stored is refused, so that the run can end with that failure.
   * Gives the session that the entries end, as `read` would tell it; undefined also where a store would have to read it.
   * @throws Failure `interrupted` when another attempt has taken the session over, or it has ended.
   */
  append(run: Run, entries: readonly RunEntry[] | EntriesOfTrials, safety: Safety): Promise<SessionOutcome | undefined>;
  /** Takes over a session that has not ended, written; undefined when there is none. */
  takeOver(session_id: string, at: string): Promise<Run | undefined>;
  /** Adds an entry that does not come from a run; durable, to all sessions or to none. Unknown sessions are left out. */
  add(session_ids: readonly string[], entry: AddedEntry): Promise<void>;
  /** Entries beyond place `from`, in order; none for an unknown session. Writes nothing. */
  read(session_id: string, from?: number): Promise<readonly LoggedEntry[]>;
  /** Newest first unless asked otherwise. Writes nothing. @throws Failure `unknown_session` for `before`. */
  list(query?: SessionQuery, signal?: AbortSignal): Promise<readonly SessionListing[]>;
  /** Sessions that match, in figures. Writes nothing. `signal` ends the looking, here and in `list`. @throws Failure `cancelled` then */
  summarize(request: SessionSummaryRequest, signal?: AbortSignal): Promise<SessionSummary>;
  /**
   * Lists them oldest first, without the damaged. One that has not ended shows its state; the rest of its row is complete at its
   * end. Writes nothing.
   */
  trials(of: TrialsOf): Promise<readonly TrialRow[]>;
  /** Calls `wake` when entries of this process can be read and are as safe as was asked. The returned function ends it. */
  watch(session_id: string, wake: () => void): () => void;
}

/** Tells a writer that its session has ended, or that another attempt has it. */
export const superseded = (session_id: string) =>
  new Failure("interrupted", `${session_id} has ended, or another process has taken it over`);

/** Tells a writer that it does not run the series. */
export const notRunning = (series_id: string) =>
  new Failure(
    "series_not_running",
    `${series_id} is not run by this program: it has ended, or another one has taken it`,
  );

export const stillRunning = (series_id: string) =>
  new Failure("invalid_request", `${series_id} is still running: wait for its end or stop it, then continue it`);

export const unknownSeries = (series_id: string) => new Failure("unknown_series", `there is no series ${series_id}`);

/** @throws Failure `cancelled` when whoever asked has gone */
export function demandReader(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Failure("cancelled", "nobody waits for the answer any more");
}

/** It could not be stored, for want of space or worse. */
export const isLoss = (error: unknown) =>
  error instanceof Failure && (error.code === "storage_full" || error.code === "storage_failed");

/** Whether the disk is full: nothing more can be stored until there is space. */
export const isFull = (error: unknown) => error instanceof Failure && error.code === "storage_full";

/** A loss that would have hit anything else as well: the store is out of reach. */
export const isOutage = (error: unknown) =>
  error instanceof Failure && error.code === "storage_failed" && error.retryable;

/** The entries to append. */
export const entriesGiven = (
  given: readonly RunEntry[] | EntriesOfTrials,
  trials: () => readonly TrialRow[],
): readonly RunEntry[] => (typeof given === "function" ? given(trials()) : given);
