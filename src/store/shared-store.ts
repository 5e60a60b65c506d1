import type { SeriesRecord } from "../domain/series-record.ts";
import type { CreatedEntry } from "../domain/session-entry.ts";
import type { RequestKey } from "./request-keys.ts";
import type { SharedSeriesStore } from "./series-store.ts";
import type { SessionStore } from "./store.ts";

/**
 * What whoever takes a piece of work must have, sorted: `provider:anthropic`, `sandbox:bubblewrap`,
 * `agent:<install>@<digest>`, `mcp:<install>@<digest>`.
 */
export type Needs = readonly string[];

/** Something to be done by any process that has what it needs. */
export interface Work {
  readonly kind: "session" | "series";
  /** The id of the session or the series. */
  readonly id: string;
  readonly needs: Needs;
  /** Higher goes first. */
  readonly priority: number;
  /** In whose name. Names have their turns; those without one are one name. */
  readonly user?: string | undefined;
  /** JSON: what cannot be read from the log or the record. */
  readonly brief: string;
}

/**
 * Work that this process holds until it is done or handed back. It is no right to write: who holds it takes the session
 * over, and the store refuses whoever had it before.
 */
export interface WorkClaim {
  readonly work: Work;
  /** Fires when another has it, or when the database was out of reach for too long; its reason is a Failure `interrupted`. */
  readonly lost: AbortSignal;
  /** It is over. Nothing when it is lost. */
  done(): Promise<void>;
  /** Somebody else may begin with it at once. Nothing when it is lost. */
  handBack(): Promise<void>;
}

/** Work that any process on the same store may do. @throws Failure `storage_full` or `storage_failed`, from every method */
export interface WorkQueue {
  /**
   * Begins the log of a queued session that nobody runs yet, and asks for it to be run; both or nothing. False when its id is
   * taken, or the key of who asks.
   * @throws Failure `overloaded` when as many wait as may, `series_not_running` for a trial of a series that this process does not run
   */
  offerSession(entry: CreatedEntry, work: Work, key?: RequestKey): Promise<boolean>;
  /** Begins a series that nobody runs yet, likewise. */
  offerSeries(record: SeriesRecord, work: Work, key?: RequestKey): Promise<boolean>;
  /** Asks for a stored series to be run again. */
  resumeSeries(work: Work): Promise<void>;
  /**
   * Claims at most `free` pieces of a kind that need no more than `capabilities`: the highest priority first; of one priority a
   * piece of each name in turn, its oldest.
   */
  claim(kind: Work["kind"], capabilities: Needs, free: number): Promise<readonly WorkClaim[]>;
  /** Calls `wake` when there may be work to claim, and from time to time. The returned function ends it. */
  watch(wake: () => void): () => void;
  /** What waits, by what it needs: most first, at most 100. */
  waiting(): Promise<readonly WaitingWork[]>;
}

export interface WaitingWork {
  readonly needs: Needs;
  readonly pieces: number;
}

/** A process that has the store open. */
export interface WorkerRow {
  readonly worker_id: string;
  readonly version: string;
  /** Sessions that it runs at once; 0: it takes none. */
  readonly slots: number;
  readonly running: number;
  readonly capabilities: Needs;
  /** Seconds since its last sign of life. */
  readonly seen_s: number;
}

export interface Workers {
  /** What others are told of this process from now on; they know it when it resolves. */
  announce(self: Pick<WorkerRow, "slots" | "capabilities"> & { readonly running: () => number }): Promise<void>;
  /** Workers that live, this one included. */
  alive(): Promise<readonly WorkerRow[]>;
}

/** Files of scenarios by digest, for workers that do not have them. */
export interface MaterialStore {
  has(digest: string): Promise<boolean>;
  /** All of it or nothing. */
  keep(digest: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** @throws Failure `storage_failed` when it is not there, or is damaged: then it is there no more */
  read(digest: string): AsyncIterable<Uint8Array>;
  /** Forgets what turned out to be something else. */
  drop(digest: string): Promise<void>;
}

/** What is known of the place where a shared store keeps its sessions, just now. */
export interface StoreInspection {
  /** A name for people, without the password. */
  readonly name: string;
  /** The version that the server reports. */
  readonly server_version: string;
  /** Rights that this process needs and lacks: `DELETE on abeval.entries`. */
  readonly lacking: readonly string[];
  /** Milliseconds of a question that costs nothing: the middle one of several. */
  readonly latency_ms: number;
  /** By how many milliseconds this machine's clock is ahead of the store's. */
  readonly clock_ahead_ms: number;
  /** A notification to itself arrived. */
  readonly hears: boolean;
}

/** A store that several processes share, wherever they run: they share the work too. */
export interface SharedStore extends SessionStore, AsyncDisposable {
  readonly series: SharedSeriesStore;
  readonly queue: WorkQueue;
  readonly workers: Workers;
  readonly materials: MaterialStore;
  /** Whether it can be read, known within half a second, also while it hangs. */
  reachable(): Promise<boolean>;
  /** Whether it also takes writes just now, likewise. A standby takes none. */
  writable(): Promise<boolean>;
  /** @throws Failure `storage_failed` when it is out of reach, after the time that a lost connection is tried for */
  inspect(): Promise<StoreInspection>;
}
