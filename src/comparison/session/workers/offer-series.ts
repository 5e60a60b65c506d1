import { contestRequestOf } from "../../../domain/contest-plan.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { SharedStore, Work } from "../../../store/shared-store.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { SessionServices } from "../../planning/services.ts";
import { continuedRecord, newRecord } from "../series/series-records.ts";
import type { Requester, StartedSeries } from "../started-session.ts";
import { briefPrices, keepMaterials, type SeriesOrder } from "./brief.ts";
import { distantSeries } from "./distant-series.ts";
import { demandWorker } from "./offer-session.ts";

/** Behind the runs that somebody may wait for: it takes no place of theirs. */
const PRIORITY = 5;

/**
 * Queues a series for whoever runs it first. `before` is one that this process has taken over.
 * @throws Failure as `offerSession`; then nothing was started
 */
export async function offerSeries(
  services: SessionServices,
  shared: SharedStore,
  setup: SeriesSetup,
  { before, requester }: { readonly before: SeriesRecord | undefined; readonly requester: Requester },
): Promise<StartedSeries> {
  const { needs } = setup;
  await demandWorker(shared, needs);
  const { user } = before ?? requester;
  const brief = JSON.stringify(await briefOf(services, shared, setup, before));
  const workOf = (id: string): Work => ({ kind: "series", id, needs, priority: PRIORITY, brief, user });
  if (before) {
    const record = await continuedRecord(services, setup, before);
    await shared.queue.resumeSeries(workOf(record.series_id));
    return started(services, shared, record);
  }
  const record = await newRecord(
    services,
    setup,
    (made) => shared.queue.offerSeries(made, workOf(made.series_id), requester.key),
    requester,
  );
  return started(services, shared, record);
}

async function briefOf(
  services: SessionServices,
  shared: SharedStore,
  { plan, control, limits, members }: SeriesSetup,
  before: SeriesRecord | undefined,
): Promise<SeriesOrder> {
  const scenarios = await Promise.all(
    members.map(async (loaded) => {
      const { definition, digest, file } = loaded;
      await keepMaterials(shared, loaded);
      return { definition, digest, file };
    }),
  );
  const rows = before ? await shared.trials({ series_id: before.series_id }) : [];
  const { judge_model, model_override, margin, measure, not_worse_by, cluster, seed, contest } = plan;
  const { max_cost_usd, ...limited } = limits;
  return {
    options: {
      ...{ ...limited, judge_model, margin, seed },
      ...(model_override !== null && { model_override }),
      ...(measure !== undefined && { measure }),
      ...(not_worse_by !== undefined && { not_worse_by }),
      ...(cluster && { cluster: cluster.field }),
      ...(control !== undefined && { control }),
      ...(contest && { contest: contestRequestOf(contest) }),
      ...(max_cost_usd !== null && { max_cost_usd }),
    },
    ...(plan.baseline && { baseline: plan.baseline.series_id }),
    prices: briefPrices(services.prices),
    scenarios,
    begun_after: Math.max(0, ...rows.map(({ place }) => place?.trial ?? 0)),
  };
}

function started(services: SessionServices, shared: SharedStore, record: SeriesRecord): StartedSeries {
  let done: Promise<SeriesRecord> | undefined;
  const end = async () => (await (await distantSeries(services, shared, record.series_id))?.done) ?? record;
  return {
    series_id: record.series_id,
    get done() {
      done ??= end();
      return done;
    },
  };
}
