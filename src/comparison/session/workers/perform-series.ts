import type { Failure } from "../../../domain/failure.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { SharedStore, WorkClaim } from "../../../store/shared-store.ts";
import { isOfOtherProtocols, isOfProtocols } from "../../planning/needs.ts";
import { prepareSeries, seriesSource } from "../../planning/prepare-series.ts";
import type { SessionServices } from "../../planning/services.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { storedBaseline } from "../baseline.ts";
import { asFailure } from "../run-session.ts";
import { RunningSeries } from "../series/running-series.ts";
import { openMaterials, pricesOf, readBrief, SeriesOrder, type Workplace } from "./brief.ts";
/**
 * Runs a series that somebody queued: resolves when it has ended, was handed back or was lost. What it does follows from
 * its stored trials alone, so that whoever takes it next goes on where it stands.
 * @throws Failure when the store cannot be reached
 */
export async function performSeries(workplace: Workplace, claim: WorkClaim): Promise<void> {
  const { services, shared } = workplace;
  const { id } = claim.work;
  const stored = await shared.series.read(id);
  const record = stored?.state === "running" ? await shared.series.steal(id) : undefined;
  if (record === undefined) return await claim.done();
  try {
    const brief = readBrief(SeriesOrder, claim.work);
    const baseline = brief.baseline === undefined ? undefined : await storedBaseline(shared, brief.baseline);
    const performing = { ...services, prices: pricesOf(brief) };
    // The trials of a contest, or of a series with a baseline, run here, so that this machine is asked whether it can run them.
    const { shared: _, ...alone } = performing;
    const runs_here = baseline !== undefined || record.plan.contest !== undefined;
    await using scenarios = await openIntake(workplace, brief);
    const setup = await prepareSeries(
      runs_here ? alone : performing,
      { ...seriesSource(scenarios.loaded), ...(baseline && { baseline }) },
      brief.options,
      record,
    );
    const { begun_after } = brief;
    const need_of_protocols = claim.work.needs.find(isOfProtocols);
    const is_of_earlier = isOfOtherProtocols(claim.work.needs);
    // Its trials stay work of whoever may take the series.
    const prepare: typeof setup.prepare = async (...asked) => ({
      ...(await setup.prepare(...asked)),
      need_of_protocols,
    });
    const series = new RunningSeries(performing, { ...setup, prepare }, { record, begun_after, is_of_earlier });
    await untilOver(services, claim, series);
  } catch (error) {
    await failed(services, shared, record, error);
  }
  // One that still runs is for others: this process stops, or could not write.
  const runs = (await shared.series.read(id))?.state === "running";
  await (runs ? claim.handBack() : claim.done());
}

async function untilOver(services: SessionServices, claim: WorkClaim, series: RunningSeries): Promise<void> {
  const leave = () => series.leave();
  claim.lost.addEventListener("abort", leave, { once: true });
  if (claim.lost.aborted) leave();
  const unless = (stop: (reason: Failure) => void) => (reason: Failure) =>
    reason.code === "interrupted" ? leave() : stop(reason);
  services.series.add(series.series_id, {
    series_id: series.series_id,
    sessions: series.sessions,
    get open() {
      return series.open;
    },
    next: () => series.next(),
    halt: unless((reason) => series.halt(reason)),
    cancel: unless((reason) => series.cancel(reason)),
    done: series.done,
  });
  try {
    await series.done;
  } finally {
    services.series.delete(series.series_id);
  }
}

async function openIntake(
  workplace: Workplace,
  { scenarios }: SeriesOrder,
): Promise<AsyncDisposable & { readonly loaded: readonly LoadedScenario[] }> {
  await using opened = new AsyncDisposableStack();
  const loaded: LoadedScenario[] = [];
  for (const scenario of scenarios) loaded.push(opened.use(await openMaterials(workplace, scenario)));
  const held = opened.move();
  return { loaded, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

async function failed(
  services: SessionServices,
  shared: SharedStore,
  record: SeriesRecord,
  error: unknown,
): Promise<void> {
  const { code, message } = asFailure(error, services);
  if (code === "series_not_running" || code === "storage_failed" || code === "storage_full") return;
  const finished_at = services.clock.now().toISOString();
  await shared.series.update({ ...record, state: "failed", stop: "failed", failure: message, finished_at });
}
