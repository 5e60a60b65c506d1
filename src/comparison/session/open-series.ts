import { Failure } from "../../domain/failure.ts";
import { holding } from "../../store/request-keys.ts";
import { prepareSeries, type SeriesOptions, type SeriesSource } from "../planning/prepare-series.ts";
import type { SessionServices } from "../planning/services.ts";
import { planningServices } from "./plan-for-workers.ts";
import { startSeries } from "./run-series.ts";
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
  if (goOn !== undefined)
    return await holding(services.store.request_keys, requester.key, {
      id: goOn,
      work: () => goOnWith(services, source, options, goOn),
    });
  const planning = await planningServices(services);
  return await startSeries(services, await prepareSeries(planning, source, options), undefined, requester);
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
  const setup = await prepareSeries(planning, source, options, before);
  const taken = await services.store.series.take(goOn);
  if (taken === undefined) throw unknown(services, goOn);
  return await startSeries(services, setup, taken);
}

const unknown = ({ store }: SessionServices, series_id: string) =>
  new Failure(
    "unknown_series",
    `there is no series "${series_id.slice(0, 100)}"${store.persistent ? "" : "; without a state directory a series is gone with its process"}`,
  );
