import { Failure } from "../../domain/failure.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { demandFree, KeyHeld, type RequestKeys } from "../../store/request-keys.ts";
import { prepareSeries, type SeriesOptions, type SeriesSetup, type SeriesSource } from "../planning/prepare-series.ts";
import type { SessionServices } from "../planning/services.ts";
import { planningServices } from "./plan-for-workers.ts";
import { RunningSeries } from "./series/running-series.ts";
import { continuedRecord, newRecord } from "./series/series-records.ts";
import type { Requester, StartedSeries } from "./started-session.ts";

export type OpenOptions = SeriesOptions & {
  /** A series to go on with. */
  readonly goOn?: string | undefined;
};

/**
 * Starts a series, or goes on with one.
 * @throws KeyHeld when another request with the requester's key was first; Failure for everything that can be refused before
 * anything is spent; then nothing has changed
 */
export async function openSeries(
  services: SessionServices,
  source: SeriesSource,
  { goOn, ...options }: OpenOptions,
  requester: Requester = {},
): Promise<StartedSeries> {
  if (goOn !== undefined) return await goOnOnce(services, requester, () => goOnWith(services, source, options, goOn));
  const planning = await planningServices(services);
  return await startSeries(services, await prepareSeries(planning, source, options), undefined, requester);
}

/** Requests that make a series go on, by their keys. */
const goingOn = new WeakMap<RequestKeys, Map<string, Promise<StartedSeries>>>();

/**
 * Holds the key after the start: a process that dies before it leaves the key free, and whoever asks again makes the series go
 * on. Going on twice under the same limits runs no further trial.
 */
async function goOnOnce(
  { store: { request_keys } }: SessionServices,
  { key }: Requester,
  goOn: () => Promise<StartedSeries>,
): Promise<StartedSeries> {
  if (key === undefined) return await goOn();
  const here = goingOn.getOrInsertComputed(request_keys, () => new Map());
  const first = here.get(key.key);
  if (first) {
    await first.catch(() => undefined);
    throw new KeyHeld();
  }
  const start = async () => {
    await demandFree(request_keys, key);
    try {
      const started = await goOn();
      // What has begun is not undone where its key cannot be stored.
      await request_keys.hold(key, started.series_id).catch(() => false);
      return started;
    } catch (error) {
      // Another process may have been first.
      await demandFree(request_keys, key);
      throw error;
    }
  };
  const starting = start();
  here.set(key.key, starting);
  try {
    return await starting;
  } finally {
    here.delete(key.key);
  }
}

async function goOnWith(
  services: SessionServices,
  source: SeriesSource,
  options: SeriesOptions,
  goOn: string,
): Promise<StartedSeries> {
  const planning = await planningServices(services);
  const before = await services.store.series.read(goOn);
  if (before === undefined) throw unknown(services, goOn);
  if (before.watch)
    throw new Failure("invalid_request", `${goOn} is a night of a watch, which is not continued: watch again`);
  const setup = await prepareSeries(planning, source, options, before);
  const taken = await services.store.series.take(goOn);
  if (taken === undefined) throw unknown(services, goOn);
  try {
    return await startSeries(services, setup, taken);
  } catch (error) {
    // The series is given back, so that others can continue it. A store that has no room keeps the end and stores it later.
    await services.store.series.update(taken).catch(() => undefined);
    throw error;
  }
}

const unknown = ({ store }: SessionServices, series_id: string) =>
  new Failure(
    "unknown_series",
    `there is no series "${series_id.slice(0, 100)}"${store.persistent ? "" : "; without a state directory a series is gone with its process"}`,
  );

/**
 * Runs a series in the background: here, or by whoever of those on the same store takes it. `before` is one that this process
 * has taken over; it goes on where it stopped.
 * @throws KeyHeld when another request with the requester's key was first; Failure `storage_full` or `storage_failed`, and what
 * refuses a run that nobody could take; then nothing was started
 */
export async function startSeries(
  services: SessionServices,
  setup: SeriesSetup,
  before?: SeriesRecord,
  requester: Requester = {},
): Promise<StartedSeries> {
  if (setup.baseline?.file) await (await import("./bundle/checks-again.ts")).demandSameChecks(services, setup);
  if (services.shared) {
    const { offerSeries } = await import("./workers/offer-series.ts");
    return await offerSeries(services, services.shared, setup, { before, requester });
  }
  const record = before
    ? await continuedRecord(services, setup, before)
    : await newRecord(services, setup, (made) => services.store.series.create(made, requester.key), requester);
  const series = new RunningSeries(services, setup, { record });
  services.series.add(record.series_id, series);
  // The end may have no listener.
  series.done.catch((error: unknown) => services.notice(`${record.series_id}: its end cannot be stored: ${error}`));
  return series;
}
