import { Failure } from "../../domain/failure.ts";
import { isFinal } from "../../domain/session-state.ts";
import { foldLog } from "../../store/read-session.ts";
import type { SharedStore } from "../../store/shared-store.ts";
import type { SessionStore } from "../../store/store.ts";
import type { SessionServices } from "../planning/services.ts";
import { RunLog } from "./run/run-log.ts";

export const CANCELLED = new Failure("cancelled", "The run was cancelled.");

/** Fires `stop` when somebody asks for the run's end in its log, wherever they are. `after` is a place in it. */
export function watchCancel(
  store: Pick<SessionStore, "read" | "watch">,
  { session_id, after }: { readonly session_id: string; readonly after: number },
  stop: AbortController,
): Disposable {
  let last = after;
  const look = async () => {
    for (const { n, entry } of await store.read(session_id, last)) {
      last = Math.max(last, n);
      if (entry.type === "cancel_asked") stop.abort(CANCELLED);
    }
  };
  // One that failed is made up for by the next.
  const unwatch = store.watch(session_id, () => void look().catch(() => undefined));
  return { [Symbol.dispose]: unwatch };
}

/** Stops a run wherever it is. False when it has ended or is unknown. @throws Failure when that cannot be stored */
export async function cancelAnywhere(
  { clock }: Pick<SessionServices, "clock">,
  shared: SharedStore,
  session_id: string,
): Promise<boolean> {
  const log = await shared.read(session_id);
  const outcome = foldLog(log);
  if (outcome === undefined || isFinal(outcome.state)) return false;
  const at = clock.now().toISOString();
  if (!log.some(({ entry }) => entry.type === "cancel_asked"))
    await shared.add([session_id], { type: "cancel_asked", at });
  // No process runs it yet. One that has just taken it learns of the cancellation at its next write.
  const run = outcome.state === "queued" ? await shared.takeOver(session_id, at) : undefined;
  if (run) await new RunLog(shared, clock, run).fail(CANCELLED);
  return true;
}

/**
 * Starts no further trial of a series, and stops those that run, wherever they are.
 * @throws Failure `unknown_series`, `series_not_running`
 */
export async function cancelSeriesAnywhere(
  services: Pick<SessionServices, "clock">,
  shared: SharedStore,
  series_id: string,
): Promise<void> {
  const before = await shared.series.read(series_id);
  if (before === undefined) throw new Failure("unknown_series", `there is no series "${series_id.slice(0, 100)}"`);
  if (before.state !== "running")
    throw new Failure("series_not_running", `${series_id} does not run any more; read it instead`);
  const record = await shared.series.steal(series_id);
  if (record === undefined) return;
  const finished_at = services.clock.now().toISOString();
  await shared.series.update({ ...record, state: "cancelled", stop: "cancelled", failure: null, finished_at });
  const open = (await shared.trials({ series_id })).filter(({ state }) => !isFinal(state));
  await Promise.all(open.map(({ session_id }) => cancelAnywhere(services, shared, session_id)));
}
