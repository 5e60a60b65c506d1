import type { TrialWork } from "../domain/cell.ts";
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

/** The right to write a session's log, which one attempt at a time has. */
export interface Run {
  readonly session_id: string;
  readonly attempt: number;
}

/** Runs that go from a process to the one after it. */
export interface Estate {
  /** What this process's runs are known by. */
  readonly owner: string;
  /** What it has of the process before: each lost one attempt, and begins again. */
  readonly runs: readonly Run[];
}

/** An attempt whose process ended without a word. */
export interface Lost extends Run {
  /** The run begins again here; otherwise its session has ended. */
  readonly goes_on: boolean;
}

/** Hears of each such attempt, from the store that ended it. */
export type HearLost = (lost: Lost) => void;

/** An entry with its place. `n` counts from 1 in each session, without gaps. */
export interface LoggedEntry {
  readonly n: number;
  readonly attempt: number;
  readonly entry: SessionEntry;
}

/**
 * Which runs to list: the trials of a planned series; the first `limit` (or `MAX_TRIALS_IN_ALL`) stored runs of a comparison;
 * or one run.
 */
export type TrialsOf =
  | { readonly series_id: string }
  | { readonly comparison: string; readonly limit?: number }
  | { readonly session_id: string };

/**
 * Entries that depend on the trials of the run's series at the moment of the write, with this run's own row as it was
 * before; a run that is no trial gets no rows. The function is pure: it may be called more than once.
 */
export type EntriesOfTrials = (trials: readonly TrialRow[]) => readonly RunEntry[];

/** `written` survives the process, `durable` also a power cut. */
export type Safety = "written" | "durable";

/**
 * Sessions, each an append-only log. Entries of one call are stored together or not at all. Calls of one process
 * are stored in their order. Values given to a store or read from it must not be changed.
 * @throws Failure `storage_full` or `storage_failed`, from every method; then nothing of the call is stored.
 */
export interface SessionStore extends Disposable {
  readonly persistent: boolean;
  readonly ledger: Ledger;
  readonly series: SeriesStore;
  readonly self_tests: SelfTestStore;
  readonly request_keys: RequestKeys;
  /** Absent: nobody goes on with what this process leaves, or whoever shares the store does. */
  readonly estate?: Estate;
  /** Absent: the store ends with the process. */
  readonly pruning?: Pruning;
  /** Absent: it cannot go away alone. @throws Failure when what is written now would be lost */
  demandPlace?(): void;
  /** Starts a log, written; undefined when the id or the requester's key is taken. */
  create(entry: CreatedEntry, key?: RequestKey): Promise<Run | undefined>;
  /**
   * An end with a failure that cannot be stored is kept: this process can read it, and it is stored once that works again.
   * A completion that cannot be stored is refused, so that the run can end with that failure.
   * Returns the session if the entries end it, as `read` would; undefined where a store would have to read it first.
   * @throws Failure `interrupted` when another attempt has taken the session over, or it has ended.
   */
  append(run: Run, entries: readonly RunEntry[] | EntriesOfTrials, safety: Safety): Promise<SessionOutcome | undefined>;
  /** Takes over a session that has not ended, written; undefined when there is none. */
  takeOver(session_id: string, at: string): Promise<Run | undefined>;
  /** Adds an entry from outside a run to all sessions or to none, durably. Unknown sessions are ignored. */
  add(session_ids: readonly string[], entry: AddedEntry): Promise<void>;
  /** Entries beyond place `from`, in order; none for an unknown session. Writes nothing. */
  read(session_id: string, from?: number): Promise<readonly LoggedEntry[]>;
  /** Newest first unless requested otherwise; all without a limit. Writes nothing. @throws Failure `unknown_session` for `before`. */
  list(query?: SessionListRequest, signal?: AbortSignal): Promise<readonly SessionListing[]>;
  /** Figures of the sessions that match. Writes nothing. `signal` cancels the query, here and in `list`. @throws Failure `cancelled` then */
  summarize(request: SessionSummaryRequest, signal?: AbortSignal): Promise<SessionSummary>;
  /**
   * Lists runs oldest first, without damaged ones. A run that has not ended shows its state; the rest of its row is complete at its
   * end. Writes nothing.
   */
  trials(of: TrialsOf): Promise<readonly TrialRow[]>;
  /**
   * What the arms of these sessions left, by session, of those that have ended and can be read. Sessions that an earlier version
   * stored are read whole when they are first asked for, and their work is kept.
   */
  work(session_ids: readonly string[]): Promise<ReadonlyMap<string, TrialWork>>;
  /** Calls `wake` when entries of this process can be read and are as safe as requested. The returned function ends it. */
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

/** Whether something could not be stored, for lack of space or another reason. */
export const isLoss = (error: unknown) =>
  error instanceof Failure && (error.code === "storage_full" || error.code === "storage_failed");

/** Whether the disk is full: nothing more can be stored until there is space. */
export const isFull = (error: unknown) => error instanceof Failure && error.code === "storage_full";

/** Whether the store cannot be reached, so that any other write would fail, too. */
export const isOutage = (error: unknown) =>
  error instanceof Failure && error.code === "storage_failed" && error.retryable;

/** The entries to append. */
export const entriesGiven = (
  given: readonly RunEntry[] | EntriesOfTrials,
  trials: () => readonly TrialRow[],
): readonly RunEntry[] => (typeof given === "function" ? given(trials()) : given);
