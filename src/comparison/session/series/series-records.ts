import type { Failure } from "../../../domain/failure.ts";
import type { SeriesRecord, SeriesStop } from "../../../domain/series-record.ts";
import { idTime } from "../../../domain/session.ts";
import type { TrialRow } from "../../../domain/trial.ts";
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
  { plan, plan_digest, control, baseline_digests, limits, columns, repeated_rows, ...setup }: SeriesSetup,
  create: (record: SeriesRecord) => Promise<boolean>,
  { key, user }: Requester,
): Promise<SeriesRecord> {
  const { inputs_from_checkout, watch } = setup;
  const before = watch ? undefined : plan.baseline && (await seriesOn(store, new Set(baseline_digests)));
  for (;;) {
    const created_at = clock.now().toISOString();
    const record: SeriesRecord = {
      series_id: `series-${idTime(created_at)}-${entropy(4)}`,
      ...{ created_at, finished_at: null, state: "running", stop: null, failure: null },
      ...{ plan, plan_digest, limits, changes: [] },
      ...(control !== undefined && { control }),
      ...(before !== undefined && { series_before: before }),
      ...(inputs_from_checkout && { inputs_from_checkout }),
      ...(watch && { watch }),
      ...(columns.length > 0 && { columns: [...columns] }),
      ...(repeated_rows > 0 && { repeated_rows }),
      ...(user !== undefined && { user }),
      standing: { conclusion: "undecided", win_rate: null, low: 0, high: 1, counted: 0 },
    };
    if (await create(record)) return record;
    await demandFree(store.request_keys, key);
  }
}

/** How many series were begun on the same stored runs. Nights of a watch make no claim. */
async function seriesOn({ series }: Storing["store"], digests: ReadonlySet<string>): Promise<number> {
  return (await series.list()).filter(
    ({ baseline, watch }) => baseline !== undefined && watch === undefined && digests.has(baseline),
  ).length;
}

/** Stores that a series goes on, with what changes in its limits. @throws Failure */
export async function continuedRecord(
  { store, clock }: Storing,
  { limits, control, inputs_from_checkout }: SeriesSetup,
  before: SeriesRecord,
): Promise<SeriesRecord> {
  const isSame = JSON.stringify(limits) === JSON.stringify(before.limits);
  const changes = isSame
    ? before.changes
    : [...before.changes, { at: clock.now().toISOString(), limits: before.limits }];
  const record: SeriesRecord = {
    ...before,
    ...(inputs_from_checkout && { inputs_from_checkout }),
    ...(control !== undefined && { control }),
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

/** How a series ended. */
export type SeriesEnd = Pick<SeriesRecord, "state" | "stop" | "failure">;

export const SERIES_INTERRUPTED: SeriesEnd = { state: "interrupted", stop: null, failure: null };

/** The end that the reason of a halt makes. */
export const haltedBy = ({ code, message }: Failure): SeriesEnd =>
  code === "cancelled"
    ? { state: "cancelled", stop: "cancelled", failure: null }
    : { ...SERIES_INTERRUPTED, failure: message };

/** The end that a rule of stopping makes. */
export const stoppedBy = (stop: SeriesStop, rows: readonly TrialRow[]): SeriesEnd =>
  stop === "failed"
    ? { state: "failed", stop, failure: lastFailure(rows) }
    : { state: "completed", stop, failure: null };

function lastFailure(rows: readonly TrialRow[]): string | null {
  const last = rows.findLast(({ failure, could_not_check }) => failure !== null || could_not_check !== undefined);
  return last?.failure?.message ?? last?.could_not_check ?? null;
}

/** The end that a trial which could not start makes; null where others only hold all places, and it may start later. */
export function refusedBy(error: Failure): SeriesEnd | null {
  if (error.code !== "overloaded") return { state: "failed", stop: "failed", failure: error.message };
  const isOver = error.details?.["reason"] === "max_cost_per_day" && !isSoon(error.details["retry_after_s"]);
  return isOver ? { state: "completed", stop: "budget", failure: error.message } : null;
}

const isSoon = (retry_after_s: unknown) => typeof retry_after_s === "number" && retry_after_s <= 60;
