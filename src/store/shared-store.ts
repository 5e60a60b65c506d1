import { Failure } from "../domain/failure.ts";
import type { ScenarioStore } from "../domain/scenario-request.ts";
import type { SeriesRecord } from "../domain/series-record.ts";
import type { CreatedEntry } from "../domain/session-entry.ts";
import type { RequestKey } from "./request-keys.ts";
import type { SharedSeriesStore } from "./series-store.ts";
import type { SessionStore } from "./store.ts";

/**
 * What a worker must have to run a piece of work, sorted: `provider:anthropic`, `sandbox:bubblewrap`,
 * `agent:<install>@<digest>`, `mcp:<install>@<digest>`.
 */
export type Needs = readonly string[];

/** Work that any process may do that has what the work needs. */
export interface Work {
  readonly kind: "session" | "series";
  /** The id of the session or the series. */
  readonly id: string;
  readonly needs: Needs;
  /** Higher goes first. */
  readonly priority: number;
  /** The user who asked. Users take turns; work without a user counts as one user's. */
  readonly user?: string | undefined;
  /** JSON with everything that the log or the record does not hold. */
  readonly brief: string;
}

/**
 * Work that this process holds until it is done or handed back. It is not a right to write: the holder takes the session
 * over, and the store then refuses the previous writer.
 */
export interface WorkClaim {
  readonly work: Work;
  /** How many of its holders fell silent: their lease ran out, and they had not handed it back. */
  readonly lapsed: number;
  /** Fires when another process has it, or when the database could not be reached for too long; its reason is a Failure `interrupted`. */
  readonly lost: AbortSignal;
  /** Marks the work as done. Does nothing when the claim is lost. */
  done(): Promise<void>;
  /** Lets another process start it at once. Does nothing when the claim is lost. */
  handBack(): Promise<void>;
}

/** Work for all processes on one store. @throws Failure `storage_full` or `storage_failed`, from every method */
export interface WorkQueue {
  /**
   * Starts the log of a queued session and offers the work, atomically. False when the id or the requester's key is
   * taken.
   * @throws Failure `overloaded` when the queue is full, `series_not_running` for a trial of a series that this process does not run
   */
  offerSession(entry: CreatedEntry, work: Work, key?: RequestKey): Promise<boolean>;
  /** Does the same for a series. */
  offerSeries(record: SeriesRecord, work: Work, key?: RequestKey): Promise<boolean>;
  /** Offers a stored series again. */
  resumeSeries(work: Work): Promise<void>;
  /**
   * Claims at most `free` pieces of a kind that need only `capabilities`: the highest priority first; within a priority, each
   * user's oldest piece in turn. What does not need `own` is left to living processes without it that could take it.
   */
  claim(kind: Work["kind"], capabilities: Needs, free: number, own?: string): Promise<readonly WorkClaim[]>;
  /** Calls `wake` when there may be work to claim, and from time to time. The returned function ends it. */
  watch(wake: () => void): () => void;
  /** Waiting work by needs, the most first; at most 100 rows. */
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
  /** Sessions that it runs at once; 0: it runs none. */
  readonly slots: number;
  readonly running: number;
  readonly capabilities: Needs;
  /** Seconds since its last sign of life. */
  readonly seen_s: number;
}

export interface Workers {
  /** Publishes this to other processes; they see it once the promise resolves. */
  announce(self: Pick<WorkerRow, "slots" | "capabilities"> & { readonly running: () => number }): Promise<void>;
  /** Running workers, including this one. */
  alive(): Promise<readonly WorkerRow[]>;
}

/** Whether the processes on a store take work: nobody does while it is drained, those that start meanwhile neither. */
export interface Drain {
  /** When it began; undefined: work is taken. At most a second old; while the store is away, what was known last. */
  since(): Promise<string | undefined>;
  /** Gives when it began: earlier, if it was drained before. */
  begin(at: string): Promise<string>;
  end(): Promise<void>;
  /** How many sessions run, wherever. */
  running(): Promise<number>;
}

/** Tells whoever asks for work that none is taken. */
export const drained = (since: string, code: "overloaded" | "not_ready" = "overloaded") =>
  new Failure(
    code,
    `the database is drained since ${since}: no work is taken until somebody ends that with abeval drain --end`,
    {
      retryable: true,
      details: { retry_after_s: 60 },
    },
  );

/** Files of scenarios by digest, for workers that do not have them. */
export interface MaterialStore {
  has(digest: string): Promise<boolean>;
  /** Stores all bytes or none. */
  keep(digest: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** @throws Failure `storage_failed` when it is absent or damaged; a damaged one is removed */
  read(digest: string): AsyncIterable<Uint8Array>;
  /** Removes bytes that turned out not to match their digest. */
  drop(digest: string): Promise<void>;
}

/** The current state of a shared store's database. */
export interface StoreInspection {
  /** A readable name, without the password. */
  readonly name: string;
  /** The version that the server reports. */
  readonly server_version: string;
  /** Rights that this process needs and lacks: `DELETE on abeval.entries`. */
  readonly lacking: readonly string[];
  /** Milliseconds of a trivial query: the median of several. */
  readonly latency_ms: number;
  /** Milliseconds by which this machine's clock is ahead of the store's. */
  readonly clock_ahead_ms: number;
  /** A notification to itself arrived. */
  readonly hears: boolean;
}

/** A store whose sessions and work several processes share, wherever they run. */
export interface SharedStore extends SessionStore, AsyncDisposable {
  readonly series: SharedSeriesStore;
  readonly queue: WorkQueue;
  readonly workers: Workers;
  readonly drain: Drain;
  readonly materials: MaterialStore;
  readonly scenarios: ScenarioStore;
  /** Whether it can be read. Answers within half a second, even while the database hangs. */
  reachable(): Promise<boolean>;
  /** Whether it also accepts writes, which a standby does not. Answers as quickly. */
  writable(): Promise<boolean>;
  /** @throws Failure `storage_failed` when it cannot be reached for as long as a lost connection is retried */
  inspect(): Promise<StoreInspection>;
}
