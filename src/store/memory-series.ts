import type { SeriesListing } from "../domain/series.ts";
import type { SeriesRecord } from "../domain/series-record.ts";
import type { SeriesListRequest } from "../domain/series-request.ts";
import { seriesListingOf } from "./listing.ts";
import type { SeriesStore } from "./series-store.ts";
import { notRunning, stillRunning, unknownSeries } from "./store.ts";

interface Kept {
  readonly record: SeriesRecord;
  readonly running: boolean;
}

/** All series that run, and the `capacity` that ended last; `dropped` hears of each that is forgotten. */
export class MemorySeries implements SeriesStore {
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

  async create(record: SeriesRecord): Promise<boolean> {
    if (this.#series.has(record.series_id)) return false;
    this.#keep(record);
    return true;
  }

  async update(record: SeriesRecord): Promise<void> {
    if (this.#series.get(record.series_id)?.running !== true) throw notRunning(record.series_id);
    this.#keep(record);
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    const kept = this.#series.get(series_id);
    if (kept === undefined) return undefined;
    if (kept.running) throw stillRunning(series_id);
    this.#series.set(series_id, { ...kept, running: true });
    this.#ended.delete(series_id);
    return structuredClone(kept.record);
  }

  async read(series_id: string): Promise<SeriesRecord | undefined> {
    return structuredClone(this.#series.get(series_id)?.record);
  }

  async list({ scenario, state, limit, before }: SeriesListRequest = {}): Promise<readonly SeriesListing[]> {
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
