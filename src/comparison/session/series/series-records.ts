import type { SeriesRecord } from "../../../domain/series-record.ts";
import { demandFree } from "../../../store/request-keys.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { SessionServices } from "../../planning/services.ts";
import type { Requester } from "../started-session.ts";

type Storing = Pick<SessionServices, "store" | "clock" | "entropy">;

/**
 * Has `create` store the record of a series that begins, under an id that nobody has.
 * @throws KeyHeld when another request with the key was first; what `create` throws
 */
export async function newRecord(
  { clock, entropy, store }: Storing,
  { plan, plan_digest, baseline_digests, limits, columns, inputs_from_checkout }: SeriesSetup,
  create: (record: SeriesRecord) => Promise<boolean>,
  { key, user }: Requester,
): Promise<SeriesRecord> {
  const before = plan.baseline && (await seriesOn(store, new Set(baseline_digests)));
  for (;;) {
    const created_at = clock.now().toISOString();
    const record: SeriesRecord = {
      series_id: `series-${created_at.replace(/[-:.]/g, "")}-${entropy(4)}`,
      ...{ created_at, finished_at: null, state: "running", stop: null, failure: null },
      ...{ plan, plan_digest, limits, changes: [] },
      ...(before !== undefined && { series_before: before }),
      ...(inputs_from_checkout && { inputs_from_checkout }),
      ...(columns.length > 0 && { columns: [...columns] }),
      ...(user !== undefined && { user }),
      standing: { conclusion: "undecided", win_rate: null, low: 0, high: 1, counted: 0 },
    };
    if (await create(record)) return record;
    await demandFree(store.request_keys, key);
  }
}

/** How many series were begun on the same stored runs. */
async function seriesOn({ series }: Storing["store"], digests: ReadonlySet<string>): Promise<number> {
  return (await series.list()).filter(({ baseline }) => baseline !== undefined && digests.has(baseline)).length;
}

/** Stores that a series goes on, with what changes in its limits. @throws Failure */
export async function continuedRecord(
  { store, clock }: Storing,
  { limits, inputs_from_checkout }: SeriesSetup,
  before: SeriesRecord,
): Promise<SeriesRecord> {
  const isSame = JSON.stringify(limits) === JSON.stringify(before.limits);
  const changes = isSame
    ? before.changes
    : [...before.changes, { at: clock.now().toISOString(), limits: before.limits }];
  const record: SeriesRecord = {
    ...before,
    ...(inputs_from_checkout && { inputs_from_checkout }),
    limits,
    changes,
    state: "running",
    stop: null,
    failure: null,
    finished_at: null,
  };
  await store.series.update(record);
  return record;
}
