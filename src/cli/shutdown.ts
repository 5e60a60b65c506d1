import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../domain/failure.ts";
import type { Listening } from "../http/listen.ts";
import type { SessionServices } from "../session/services.ts";
import { EXIT } from "./exit-code.ts";

export interface Running {
  /** Resolves at the first signal. */
  readonly signal: Promise<void>;
  readonly listening: Listening;
  readonly services: Pick<SessionServices, "live" | "store" | "notice" | "clock">;
  /** Fired when no new work is taken any more. */
  readonly stopping: AbortController;
  /** Fired when the time for work in flight is over. */
  readonly abandoned: AbortController;
  /** Milliseconds that work in flight may go on. */
  readonly grace_ms: number;
}

/** How often it is looked whether the work is done, and how long what was interrupted gets to save itself. */
const LOOK_MS = 20;
const SAVE_MS = 5_000;

/**
 * Until SIGTERM or SIGINT; then no connection and no run is taken any more, what is in flight may finish, and what has
 * not by then is stored as interrupted. A second signal ends the process at once.
 */
export async function untilStopped(running: Running): Promise<void> {
  const { listening, services, stopping, abandoned, grace_ms } = running;
  await running.signal;
  for (const name of SIGNALS) process.once(name, () => process.exit(EXIT.terminated));
  const { live, notice } = services;
  listening.refuseConnections();
  stopping.abort(STOPPED);
  interruptQueued(services);
  const isBusy = () => live.all().length > 0 || listening.pending > 0;
  if (isBusy()) notice(`stopping: ${live.all().length} runs in flight, waiting ${grace_ms / 1000} s at most`);
  await until(() => !isBusy(), grace_ms, services);
  abandoned.abort(STOPPED);
  for (const run of live.all()) run.cancel(STOPPED);
  await until(() => live.all().length === 0, SAVE_MS, services);
  // The last answers and frames leave before what is still open is cut.
  await sleep(LOOK_MS);
  await listening.close();
}

const STOPPED = new Failure("interrupted", "The server was stopped before the run was done.", { retryable: true });

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** What has not begun has spent nothing, and does not begin now. */
function interruptQueued({ live, store }: Running["services"]): void {
  for (const id of live.ids()) if (store.get(id)?.state === "queued") live.get(id)?.cancel(STOPPED);
}

/** Listens from now on: a signal that comes while a server starts stops it as cleanly as a later one. */
export function signalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const name of SIGNALS) process.once(name, () => resolve());
  return promise;
}

async function until(isDone: () => boolean, limit_ms: number, { clock }: Running["services"]): Promise<void> {
  const end = clock.ticks() + limit_ms;
  while (!isDone() && clock.ticks() < end) await sleep(LOOK_MS);
}
