import type { SeriesListing, SeriesListRequest } from "../../domain/series.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { isLoss } from "../store.ts";
import type { Retries } from "./retries.ts";
import type { SeriesRows } from "./series-rows.ts";
import type { WriteBatch } from "./write-batch.ts";

/** What the port promises of series. */
export class SqliteSeries {
  readonly #rows: SeriesRows;
  readonly #batch: WriteBatch;
  readonly #retries: Retries;
  readonly #synced: () => Promise<void>;
  /** Ends that could not be stored. */
  readonly #unsaved = new Map<string, SeriesRecord>();

  /** What `synced` gives resolves when what was written is on the disk. */
  constructor(rows: SeriesRows, batch: WriteBatch, retries: Retries, synced: () => Promise<void>) {
    this.#rows = rows;
    this.#batch = batch;
    this.#retries = retries;
    this.#synced = synced;
  }

  async create(series: SeriesRecord): Promise<boolean> {
    const created = await this.#batch.write(() => this.#rows.create(series));
    if (created) await this.#synced();
    return created;
  }

  async update(series: SeriesRecord): Promise<void> {
    this.#retries.try();
    try {
      await this.#batch.write(() => this.#rows.update(series));
    } catch (error) {
      if (series.state !== "running" && isLoss(error)) this.#keep(series);
      throw error;
    }
    this.#forget(series.series_id);
    await this.#synced();
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    this.#retries.try();
    return await this.#batch.write(() => this.#rows.take(series_id));
  }

  read(series_id: string): SeriesRecord | undefined {
    return this.#unsaved.get(series_id) ?? this.#rows.read(series_id);
  }

  list(query: SeriesListRequest): readonly SeriesListing[] {
    return this.#rows.list(query);
  }

  #keep(series: SeriesRecord): void {
    const { series_id } = series;
    this.#unsaved.set(series_id, series);
    this.#retries.keep(series_id, () => {
      this.#batch.now(() => this.#rows.update(series));
      this.#unsaved.delete(series_id);
    });
  }

  #forget(series_id: string): void {
    this.#unsaved.delete(series_id);
    this.#retries.drop(series_id);
  }
}
