import { setTimeout as sleep } from "node:timers/promises";
import type { SessionServices } from "../../../comparison/planning/services.ts";
import { Failure } from "../../../domain/failure.ts";
import { counted } from "../../../domain/number-text.ts";
import { rememberEnd } from "../../../runtime/told-to-end.ts";
import type { AtWork } from "../../http/at-work.ts";
import type { EventStreams } from "../../http/event-stream.ts";
import type { Listening } from "../../http/listen.ts";
import type { Services } from "../../operation/operation.ts";
import { EXIT } from "../exit-code.ts";
import type { Supervised } from "./supervised.ts";

interface Running {
  /** Resolves with the first signal. */
  readonly signal: Promise<NodeJS.Signals>;
  readonly listening: Listening;
  readonly streams: EventStreams;
  readonly at_work: Pick<AtWork, "count">;
  readonly services: Pick<SessionServices, "runs" | "series" | "notice" | "clock"> & Pick<Services, "shared">;
  /** Milliseconds after SIGTERM for which work is accepted: so long others may not know that the server leaves. */
  readonly leave_ms: number;
  /** Fired at the signal. */
  readonly leaving: AbortController;
  /** Fired when no new work is taken any more. */
  readonly stopping: AbortController;
  /** Fired when the time for work in flight is over. */
  readonly abandoned: AbortController;
  /** Milliseconds that work in flight may go on. */
  readonly grace_ms: number;
}

/** Milliseconds between looks at what is left; for interrupted runs to be stored; for readers to take the last events. */
const LOOK_MS = 20;
const SAVE_MS = 5_000;
const READ_MS = 2_000;

/**
 * Waits for SIGTERM or SIGINT. Then the server is not ready, and after a while it takes no run any more and no series starts a
 * further trial; work in flight may finish for `grace_ms`, the rest is stored as interrupted, as are all series. What only reads
 * is answered to the end, health and metrics above all.
 */
export async function untilStopped(running: Running): Promise<void> {
  const { listening, streams, at_work, services, leaving, stopping, abandoned, grace_ms } = running;
  const name = await running.signal;
  const { runs, series, notice } = services;
  leaving.abort(new Failure("not_ready", "the server is stopping", { retryable: true }));
  // Whoever presses Ctrl-C waits for the end; whoever sends SIGTERM tells a load balancer at the same time.
  if (name === "SIGTERM" && !stopping.signal.aborted) await sleep(running.leave_ms);
  stopping.abort(new Failure("interrupted", "the server is stopping", { retryable: true }));
  // The others go on with what is read here. Without them the streams end with their runs.
  if (services.shared) streams.close();
  interruptQueued(services);
  // Asked again each time: a run that was being prepared may have started since.
  const isWorking = () => runs.all().length + series.all().length + at_work.count > 0;
  const isBusy = () => {
    for (const one of series.all()) one.halt(STOPPED);
    return isWorking();
  };
  if (isBusy())
    notice(`stopping: ${counted(runs.all().length, "run")} in flight, waiting ${grace_ms / 1000} s at most`);
  await until(() => !isBusy(), grace_ms, services);
  abandoned.abort(STOPPED);
  for (const register of [series, runs]) register.close(STOPPED);
  await until(() => !isWorking(), SAVE_MS, services);
  await until(() => listening.pending === 0 && !isWorking(), READ_MS, services);
  streams.close();
  // Lets the last answers and frames leave before open connections are cut.
  await sleep(LOOK_MS);
  await listening.close();
}

const STOPPED = new Failure("interrupted", "The server was stopped before the run was done.", { retryable: true });

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Queued runs have spent nothing, so they are stopped at once. */
function interruptQueued({ runs }: Running["services"]): void {
  for (const run of runs.all()) if (run.waits()) run.cancel(STOPPED);
}

/**
 * Listens from now on, so that a signal during the start stops the server cleanly too; a second one ends the process at once. One
 * that is sent to a whole group comes from its sender and from the supervisor, and counts once.
 */
export function signalled(supervised: Pick<Supervised, "onStop"> | undefined): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  rememberEnd();
  let [own, isRepeated] = [0, false];
  const hear = (name: NodeJS.Signals, count: number) => (count > 1 ? process.exit(EXIT.terminated) : resolve(name));
  for (const name of SIGNALS) process.on(name, () => !isRepeated && hear(name, ++own));
  supervised?.onStop(({ count, name }) => {
    isRepeated = true;
    process.emit(name);
    isRepeated = false;
    hear(name, count);
  });
  return promise;
}

async function until(isDone: () => boolean, limit_ms: number, { clock }: Running["services"]): Promise<void> {
  const end = clock.ticks() + limit_ms;
  while (!isDone() && clock.ticks() < end) await sleep(LOOK_MS);
}
