import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../domain/failure.ts";
import type { SharedStore } from "../../../store/shared-store.ts";
import type { AtWork } from "../../http/at-work.ts";
import type { Services } from "../../operation/operation.ts";
import { BEAT_MS } from "../supervisor/messages.ts";
import { NAMES_OF_SERVERS, nameProcess, showLeft } from "./own-process.ts";
import type { Supervised } from "./supervised.ts";

/** Resolves when `abeval drain --pid` has told this process, or its supervisor. From now on it may be told. */
export function drainSignal(supervised: Pick<Supervised, "onDrain"> | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.on("SIGUSR2", () => resolve());
  supervised?.onDrain(resolve);
  nameProcess(supervised ? NAMES_OF_SERVERS.supervised : NAMES_OF_SERVERS.serves);
  return promise;
}

interface Drainable {
  readonly told: Promise<void>;
  readonly supervised: Pick<Supervised, "left"> | undefined;
  readonly services: Pick<Services, "runs" | "series" | "notice" | "shared">;
  readonly at_work: AtWork;
  /** Milliseconds for which work is accepted after that: so long others may not know that the server leaves. */
  readonly leave_ms: number;
  /** Fired when it is told. */
  readonly leaving: AbortController;
  /** Fired when no new work is taken any more. */
  readonly stopping: AbortController;
}

/**
 * Once it is told, the server takes no more work, and says from then on how much is left. Without a database all that was accepted
 * goes on to its end, for nobody else could run it; with one, series go back to the queue.
 */
export async function drainOnSignal(drainable: Drainable): Promise<void> {
  const { told, supervised, services, at_work, leave_ms, leaving, stopping } = drainable;
  await told;
  const { runs, series, notice } = services;
  notice("drained: no more work is taken");
  leaving.abort(new Failure("not_ready", "the server is drained: it takes no more work", { retryable: true }));
  await sleep(leave_ms);
  stopping.abort(REFUSED);
  const look = () => {
    if (services.shared) handBack(services);
    const left = runs.all().length + series.all().length + at_work.count;
    supervised ? supervised.left(left) : showLeft(left);
  };
  look();
  setInterval(look, BEAT_MS).unref();
}

const REFUSED = new Failure("overloaded", "the server is drained: it takes no more work; ask another", {
  retryable: true,
});

/** While the database is drained, series that are coordinated here go back to the queue. */
export function obeyDrain(shared: SharedStore, services: Drainable["services"]): Disposable {
  let known: string | undefined;
  const look = async () => {
    const since = await shared.drain.since();
    if (since !== undefined) handBack(services);
    if (since !== known)
      services.notice(since ? `the database is drained since ${since}: no more work is taken` : "work is taken again");
    known = since;
  };
  const timer = setInterval(() => void look(), BEAT_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function handBack({ series }: Drainable["services"]): void {
  for (const one of series.all()) one.halt(HANDED_BACK);
}

const HANDED_BACK = new Failure("interrupted", "The server takes no more work.", { retryable: true });
