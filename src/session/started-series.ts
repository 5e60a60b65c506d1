import type { SeriesRecord } from "../domain/series-record.ts";

export interface StartedSeries {
  readonly series_id: string;
  /** Whatever the series came to. @throws Failure when its end cannot be stored. */
  readonly done: Promise<SeriesRecord>;
}
