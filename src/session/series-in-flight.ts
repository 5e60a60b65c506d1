import type { Failure } from "../domain/failure.ts";
import type { SeriesRecord } from "../domain/series-record.ts";

export interface SeriesInFlight {
  readonly series_id: string;
  /** The sessions that were started here, in the order of creation. */
  readonly sessions: readonly string[];
  /** Those that have not ended. */
  readonly open: ReadonlySet<string>;
  /** Resolves at the next trial, or with the end. */
  readonly next: () => Promise<void>;
  /** No further trial is started; those that run go on. The series ends with `reason`. */
  halt(reason: Failure): void;
  /** Stops its trials too. */
  cancel(reason: Failure): void;
  /** Resolves when its end is stored. @throws Failure when that cannot be. */
  readonly done: Promise<SeriesRecord>;
}
