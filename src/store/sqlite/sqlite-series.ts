import type { StoredResults } from "../../domain/results.ts";
import type { SeriesListing } from "../../domain/series-listing.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SeriesListRequest } from "../../domain/series-request.ts";
import type { RequestKey } from "../request-keys.ts";
import type { SeriesStore } from "../series-store.ts";
import { isLoss } from "../store.ts";
import { Retries } from "./retries.ts";
import type { SeriesRows } from "./series-rows.ts";
import type { SqliteKeys } from "./sqlite-keys.ts";
import { guarded, guardedWhile } from "./storage-failure.ts";
import type { WriteBatch } from "./write-batch.ts";

interface SeriesParts {
  readonly rows: SeriesRows;
  readonly keys: SqliteKeys;
  readonly batch: WriteBatch;
  readonly stateDir: string;
  /** Resolves when what was written survives a power cut. */
  readonly synced: () => Promise<void>;
  /** Ends what dead processes left running. */
  readonly settle: () => Promise<void>;
}

export class SqliteSeries implements SeriesStore, Disposable {
  readonly #parts: SeriesParts;
  readonly #unsaved = new Retries<SeriesRecord>((record) =>
    this.#parts.batch.now(() => this.#parts.rows.update(record)),
  );

  constructor(parts: SeriesParts) {
    this.#parts = parts;
  }

  async create(series: SeriesRecord, key?: RequestKey): Promise<boolean> {
    const { rows, keys, batch, synced } = this.#parts;
    const create = () => rows.create(series) || undefined;
    const created = await batch.write(() => keys.begin(key, series.series_id, create));
    if (created) await synced();
    return created === true;
  }

  async update(series: SeriesRecord): Promise<void> {
    this.#unsaved.try();
    try {
      await this.#parts.batch.write(() => this.#parts.rows.update(series));
    } catch (error) {
      if (series.state !== "running" && isLoss(error)) this.#unsaved.keep(series.series_id, series);
      throw error;
    }
    this.#unsaved.drop(series.series_id);
    await this.#parts.synced();
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    await this.#parts.settle();
    this.#unsaved.try();
    return await this.#parts.batch.write(() => this.#parts.rows.take(series_id));
  }

  async read(series_id: string): Promise<SeriesRecord | undefined> {
    const { stateDir, rows } = this.#parts;
    return this.#unsaved.get(series_id) ?? guarded(stateDir, () => rows.read(series_id));
  }

  async keep(results: StoredResults): Promise<StoredResults> {
    const kept = await this.#parts.batch.write(() => this.#parts.rows.keep(results));
    await this.#parts.synced();
    return kept;
  }

  async results(series_id: string): Promise<StoredResults | undefined> {
    const { stateDir, rows } = this.#parts;
    return guarded(stateDir, () => rows.results(series_id));
  }

  async list(query: SeriesListRequest = {}, failed?: ReadonlySet<string>): Promise<readonly SeriesListing[]> {
    const { stateDir, rows } = this.#parts;
    return await guardedWhile(stateDir, () => rows.list(query, failed));
  }

  /** Tries once more what could not be stored. */
  [Symbol.dispose](): void {
    this.#unsaved.try();
    this.#unsaved[Symbol.dispose]();
  }
}
