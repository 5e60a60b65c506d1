import type { SeriesListing, SeriesListRequest } from "../domain/series.ts";
import type { SeriesRecord } from "../domain/series-record.ts";
import { seriesListingOf } from "./listing.ts";
import { notRunning, stillRunning, unknownSeries } from "./store.ts";

interface Kept {
  readonly record: SeriesRecord;
  readonly running: boolean;
}

/** All series that run, and the `capacity` that ended last; `dropped` hears of each that is forgotten. */
export class MemorySeries {
  readonly #capacity: number;
  readonly #dropped: (series_id: string) => void;
  readonly #series = new Map<string, Kept>();
  /** In the order in which they ended. */
  readonly #ended = new Set<string>();

  constructor(capacity: number, dropped: (series_id: string) => void) {
    this.#capacity = capacity;
    this.#dropped = dropped;
  }

  has(series_id: string): boolean {
    return this.#series.has(series_id);
  }

  create(record: SeriesRecord): boolean {
    if (this.#series.has(record.series_id)) return false;
    this.#keep(record);
    return true;
  }

  /** @throws Failure `series_not_running` */
  update(record: SeriesRecord): void {
    if (this.#series.get(record.series_id)?.running !== true) throw notRunning(record.series_id);
    this.#keep(record);
  }

  /** @throws Failure `invalid_request` */
  take(series_id: string): SeriesRecord | undefined {
    const kept = this.#series.get(series_id);
    if (kept === undefined) return undefined;
    if (kept.running) throw stillRunning(series_id);
    this.#series.set(series_id, { ...kept, running: true });
    this.#ended.delete(series_id);
    return structuredClone(kept.record);
  }

  read(series_id: string): SeriesRecord | undefined {
    return structuredClone(this.#series.get(series_id)?.record);
  }

  /** @throws Failure `unknown_series` */
  list({ scenario, state, limit, before }: SeriesListRequest): readonly SeriesListing[] {
    if (before !== undefined && !this.#series.has(before)) throw unknownSeries(before);
    const newestFirst = [...this.#series.values()].reverse().map(({ record }) => seriesListingOf(record));
    const older = newestFirst.slice(newestFirst.findIndex(({ series_id }) => series_id === before) + 1);
    const wanted = older.filter(
      (row) => (scenario === undefined || row.scenarios.includes(scenario)) && (state ?? row.state) === row.state,
    );
    return structuredClone(wanted.slice(0, limit));
  }

  clear(): void {
    this.#series.clear();
  }

  #keep(record: SeriesRecord): void {
    const { series_id, state } = record;
    const running = state === "running";
    this.#series.set(series_id, { record: structuredClone(record), running });
    if (running) return;
    const [first] = this.#ended.add(series_id);
    if (first === undefined || this.#ended.size <= this.#capacity) return;
    this.#ended.delete(first);
    this.#series.delete(first);
    this.#dropped(first);
  }
}
