import type { StoredResults } from "../../domain/results.ts";
import type { SeriesListing } from "../../domain/series-listing.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SeriesListRequest } from "../../domain/series-request.ts";
import { seriesListingOf } from "../list-rows.ts";
import type { MemoryKeys, RequestKey } from "../request-keys.ts";
import type { SeriesStore } from "../series-store.ts";
import { notRunning, stillRunning, unknownSeries } from "../store.ts";
import { isResults, keptAgain, type StoredSeries } from "../stored-series.ts";

interface KeptSeries {
  readonly record: StoredSeries;
  readonly running: boolean;
}

/** All series that run, and the `capacity` that ended last; `dropped` hears of each that is forgotten. */
export class MemorySeries implements SeriesStore {
  readonly #capacity: number;
  readonly #keys: MemoryKeys;
  readonly #dropped: (series_id: string) => void;
  readonly #series = new Map<string, KeptSeries>();
  /** Ids in the order in which the sessions ended. */
  readonly #ended = new Set<string>();

  constructor(capacity: number, keys: MemoryKeys, dropped: (series_id: string) => void) {
    this.#capacity = capacity;
    this.#keys = keys;
    this.#dropped = dropped;
  }

  has(series_id: string): boolean {
    return this.#series.has(series_id);
  }

  async create(record: SeriesRecord, key?: RequestKey): Promise<boolean> {
    const { series_id } = record;
    const begun = this.#keys.begin(key, series_id, () => (this.#series.has(series_id) ? undefined : true));
    if (begun) this.#keep(record);
    return begun === true;
  }

  async update(record: SeriesRecord): Promise<void> {
    if (this.#series.get(record.series_id)?.running !== true) throw notRunning(record.series_id);
    this.#keep(record);
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    const kept = this.#series.get(series_id);
    if (kept === undefined || isResults(kept.record)) return undefined;
    if (kept.running) throw stillRunning(series_id);
    this.#series.set(series_id, { ...kept, running: true });
    this.#ended.delete(series_id);
    return structuredClone(kept.record);
  }

  async read(series_id: string): Promise<SeriesRecord | undefined> {
    const record = this.#series.get(series_id)?.record;
    return record && !isResults(record) ? structuredClone(record) : undefined;
  }

  async keep(results: StoredResults): Promise<StoredResults> {
    const kept = keptAgain(results, this.#series.get(results.series_id)?.record);
    this.#keep(kept);
    return structuredClone(kept);
  }

  async results(series_id: string): Promise<StoredResults | undefined> {
    const record = this.#series.get(series_id)?.record;
    return record && isResults(record) ? structuredClone(record) : undefined;
  }

  async list(
    { scenario, state, limit, before }: SeriesListRequest = {},
    failed?: ReadonlySet<string>,
  ): Promise<readonly SeriesListing[]> {
    if (before !== undefined && !this.#series.has(before)) throw unknownSeries(before);
    const newestFirst = [...this.#series.values()].reverse().map(({ record }) => seriesListingOf(record, failed));
    const older = newestFirst.slice(newestFirst.findIndex(({ series_id }) => series_id === before) + 1);
    const wanted = older.filter(
      (row) => (scenario === undefined || row.scenarios.includes(scenario)) && (state ?? row.state) === row.state,
    );
    return structuredClone(wanted.slice(0, limit));
  }

  clear(): void {
    this.#series.clear();
  }

  #keep(record: StoredSeries): void {
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
