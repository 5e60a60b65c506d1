import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SeriesSetup } from "../planning/prepare-series.ts";
import type { SessionServices } from "../planning/services.ts";
import { RunningSeries } from "./series/running-series.ts";
import { continuedRecord, newRecord } from "./series/series-records.ts";
import type { Requester, StartedSeries } from "./started-session.ts";

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
