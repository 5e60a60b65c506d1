import type { Failure } from "../../../domain/failure.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import { isFinal } from "../../../domain/session-state.ts";
import type { SharedStore } from "../../../store/shared-store.ts";
import type { SeriesInFlight, SessionServices } from "../../planning/services.ts";
import { cancelSeriesAnywhere } from "../cancel.ts";
/** A series that runs somewhere, as its rows tell. `signal` ends the looking. Undefined when it has ended or is unknown. */
export async function distantSeries(
  services: Pick<SessionServices, "clock">,
  shared: SharedStore,
  series_id: string,
  signal?: AbortSignal,
): Promise<SeriesInFlight | undefined> {
  const record = await shared.series.read(series_id);
  if (record?.state !== "running") return undefined;
  const series = new DistantSeries(services, shared, series_id);
  await series.begin(signal);
  return series;
}

class DistantSeries implements SeriesInFlight {
  readonly series_id: string;
  readonly sessions: string[] = [];
  readonly done: Promise<SeriesRecord>;
  readonly #services: Pick<SessionServices, "clock">;
  readonly #shared: SharedStore;
  readonly #ended = Promise.withResolvers<SeriesRecord>();
  #open: ReadonlySet<string> = new Set();
  #changed = Promise.withResolvers<void>();

  constructor(services: Pick<SessionServices, "clock">, shared: SharedStore, series_id: string) {
    this.#services = services;
    this.#shared = shared;
    this.series_id = series_id;
    this.done = this.#ended.promise;
    // The end may have no listener.
    this.done.catch(() => undefined);
  }

  get open(): ReadonlySet<string> {
    return this.#open;
  }

  next(): Promise<void> {
    return this.#changed.promise;
  }

  halt(reason: Failure): void {
    this.cancel(reason);
  }

  cancel(_reason: Failure): void {
    void cancelSeriesAnywhere(this.#services, this.#shared, this.series_id).catch(() => undefined);
  }

  async begin(signal: AbortSignal | undefined): Promise<void> {
    await this.#look();
    void this.#follow(signal).then(this.#ended.resolve, this.#ended.reject);
  }

  async #follow(signal: AbortSignal | undefined): Promise<SeriesRecord> {
    let woken = Promise.withResolvers<void>();
    const wake = () => woken.resolve();
    const unwatch = this.#shared.watch(this.series_id, wake);
    signal?.addEventListener("abort", wake, { once: true });
    try {
      for (;;) {
        woken = Promise.withResolvers();
        const record = await this.#shared.series.read(this.series_id);
        // After the record: all trials of a series that has ended are among these.
        await this.#look();
        if (record && (record.state !== "running" || signal?.aborted)) return record;
        if (record === undefined) throw new Error(`${this.series_id} is gone`);
        await woken.promise;
      }
    } finally {
      unwatch();
      signal?.removeEventListener("abort", wake);
      this.#announce();
    }
  }

  async #look(): Promise<void> {
    const rows = await this.#shared.trials({ series_id: this.series_id });
    const known = new Set(this.sessions);
    const fresh = rows.filter(({ session_id }) => !known.has(session_id));
    this.#open = new Set(rows.filter(({ state }) => !isFinal(state)).map(({ session_id }) => session_id));
    this.sessions.push(...fresh.map(({ session_id }) => session_id));
    if (fresh.length > 0) this.#announce();
  }

  #announce(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
