import { Failure } from "../../domain/failure.ts";
import { isFinal } from "../../domain/session-state.ts";
import { foldLog } from "../../store/read-session.ts";
import type { SeriesInFlight, SessionServices } from "../planning/services.ts";
import { cancelAnywhere } from "./cancel.ts";
import { distantSeries } from "./workers/distant-series.ts";

type Seeing = Pick<SessionServices, "runs" | "series" | "shared" | "store" | "clock">;

/** Whether the session runs or waits: here, or anywhere on a shared store. */
export async function isInFlight({ runs, shared }: Seeing, session_id: string): Promise<boolean> {
  if (runs.live(session_id)) return true;
  const outcome = shared && foldLog(await shared.read(session_id));
  return outcome !== undefined && !isFinal(outcome.state);
}

/** Runs that were asked to stop. That each is noted once keeps its log short, however often somebody asks. */
const asked = new WeakSet<object>();

/** Stops a run; it ends with `cancelled`. False when it is not in flight. */
export async function cancelInFlight(services: Seeing, session_id: string): Promise<boolean> {
  const { runs, store, shared, clock } = services;
  const run = runs.live(session_id);
  if (!run) return shared !== undefined && (await cancelAnywhere(services, shared, session_id));
  if (asked.has(run)) return true;
  asked.add(run);
  // A full disk must not keep a run going.
  await store.add([session_id], { type: "cancel_asked", at: clock.now().toISOString() }).catch(() => undefined);
  run.cancel(new Failure("cancelled", "The run was cancelled."));
  return true;
}

/** A series that runs: here, or anywhere on a shared store until `signal` fires. */
export async function seriesInFlight(
  services: Seeing,
  series_id: string,
  signal?: AbortSignal,
): Promise<SeriesInFlight | undefined> {
  const { series, shared } = services;
  return series.live(series_id) ?? (shared && (await distantSeries(services, shared, series_id, signal)));
}
