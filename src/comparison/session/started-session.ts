import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SessionOutcome } from "../../domain/session.ts";

export interface StartedSession {
  readonly session_id: string;
  /** A failed run is an outcome too. @throws Failure when the outcome cannot be read. */
  readonly done: Promise<SessionOutcome>;
}

export interface StartedSeries {
  readonly series_id: string;
  /** Whatever the series came to. @throws Failure when its end cannot be stored. */
  readonly done: Promise<SeriesRecord>;
}
