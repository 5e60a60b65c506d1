import type { SeriesListing } from "../../domain/series.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SeriesListRequest } from "../../domain/series-request.ts";
import type { SeriesStore } from "../series-store.ts";
import { isLoss } from "../store.ts";
import type { Retries } from "./retries.ts";
import type { SeriesRows } from "./series-rows.ts";
import { guarded } from "./storage-failure.ts";
import type { WriteBatch } from "./write-batch.ts";

interface SeriesParts {
  readonly rows: SeriesRows;
  readonly batch: WriteBatch;
  readonly retries: Retries;
  readonly stateDir: string;
  /** Resolves when what was written survives a power cut. */
  readonly synced: () => Promise<void>;
  /** Ends what dead processes left running. */
  readonly settle: () => Promise<void>;
}

export class SqliteSeries implements SeriesStore {
  readonly #parts: SeriesParts;
  /** Ends that could not be stored. */
  readonly #unsaved = new Map<string, SeriesRecord>();

  constructor(parts: SeriesParts) {
    this.#parts = parts;
  }

  async create(series: SeriesRecord): Promise<boolean> {
    const created = await this.#parts.batch.write(() => this.#parts.rows.create(series));
    if (created) await this.#parts.synced();
    return created;
  }

  async update(series: SeriesRecord): Promise<void> {
    this.#parts.retries.try();
    try {
      await this.#parts.batch.write(() => this.#parts.rows.update(series));
    } catch (error) {
      if (series.state !== "running" && isLoss(error)) this.#keep(series);
      throw error;
    }
    this.#forget(series.series_id);
    await this.#parts.synced();
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    await this.#parts.settle();
    this.#parts.retries.try();
    return await this.#parts.batch.write(() => this.#parts.rows.take(series_id));
  }

  async read(series_id: string): Promise<SeriesRecord | undefined> {
    const { stateDir, rows } = this.#parts;
    return this.#unsaved.get(series_id) ?? guarded(stateDir, () => rows.read(series_id));
  }

  async list(query: SeriesListRequest = {}): Promise<readonly SeriesListing[]> {
    const { stateDir, rows } = this.#parts;
    return guarded(stateDir, () => rows.list(query));
  }

  #keep(series: SeriesRecord): void {
    const { series_id } = series;
    this.#unsaved.set(series_id, series);
    this.#parts.retries.keep(series_id, () => {
      this.#parts.batch.now(() => this.#parts.rows.update(series));
      this.#unsaved.delete(series_id);
    });
  }

  #forget(series_id: string): void {
    this.#unsaved.delete(series_id);
    this.#parts.retries.drop(series_id);
  }
}
