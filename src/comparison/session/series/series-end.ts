import type { Failure } from "../../../domain/failure.ts";
import type { SeriesRecord, SeriesStop } from "../../../domain/series-record.ts";
import type { TrialRow } from "../../../domain/trial.ts";

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
