import type { StoredResults } from "../domain/results.ts";
import type { SeriesListing } from "../domain/series-listing.ts";
import type { SeriesRecord } from "../domain/series-record.ts";
import type { SeriesListRequest } from "../domain/series-request.ts";
import type { RequestKey } from "./request-keys.ts";

/** Comparisons on one subject, and those of them that make a claim. */
export interface LedgerCounts {
  readonly comparisons: number;
  readonly claims: number;
}

/** Series; their trials are sessions. @throws Failure `storage_full` or `storage_failed`, from every method */
export interface SeriesStore {
  /** Begins a series, which this process then runs; durable. False when its id is taken, or the key of who asks for it. */
  create(series: SeriesRecord, key?: RequestKey): Promise<boolean>;
  /**
   * Replaces what is stored of a series that this process runs; durable. With a state other than `running` it runs it no more:
   * that is kept when it cannot be stored, as an end of a session is.
   * @throws Failure `series_not_running` when it does not run it
   */
  update(series: SeriesRecord): Promise<void>;
  /**
   * Has this process run a series that no living process runs, whatever its state was; undefined when it is unknown. What it
   * gives is as stored: `interrupted` when its process died. The trials that a dead process left running have ended then.
   * @throws Failure `invalid_request` when a living process runs it, this one included
   */
  take(series_id: string): Promise<SeriesRecord | undefined>;
  /** The series as it is now; undefined when it is unknown. */
  read(series_id: string): Promise<SeriesRecord | undefined>;
  /** Stores a table of results, which is listed with the series; durable. What it replaces has the same results. Gives it as stored. */
  keep(results: StoredResults): Promise<StoredResults>;
  /** A table of results; undefined when it is unknown. */
  results(series_id: string): Promise<StoredResults | undefined>;
  /** How many comparisons of the same scenarios, or of the same table, it holds, and how many make a claim. */
  ledger(stored: SeriesRecord | StoredResults): Promise<LedgerCounts>;
  /**
   * Newest first, without those that are damaged.
   * @param failed keys of the self-tests that judges failed; those of series that go by one of them have a flag
   * @throws Failure `unknown_series` for `before`
   */
  list(query?: SeriesListRequest, failed?: ReadonlySet<string>): Promise<readonly SeriesListing[]>;
}

/** How far a series is, without its rows. */
export interface TrialCounts {
  /** Also those that run. */
  readonly trials: number;
  /** Of the ended ones, those without a verdict that can be used. */
  readonly lost: number;
}

/** Series of a store that several processes share. */
export interface SharedSeriesStore extends SeriesStore {
  /** As `take`, also from a living process: what that one writes of the series is refused from now on. */
  steal(series_id: string): Promise<SeriesRecord | undefined>;
  counts(series_id: string): Promise<TrialCounts>;
}
