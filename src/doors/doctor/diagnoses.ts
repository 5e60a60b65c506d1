import type { DoctorCheck } from "../../domain/health.ts";
import { Semaphore } from "../../runtime/semaphore.ts";

export interface Diagnosis {
  readonly checks: readonly DoctorCheck[];
  /** Everything was tried; false when the time was over first. */
  readonly complete: boolean;
}

interface Running {
  readonly result: Promise<Diagnosis>;
  readonly stop: AbortController;
  waiting: number;
}

/** Milliseconds for all commands of one diagnosis, for which a caller waits. */
const TIME_BOX_MS = 120_000;

/** Results that are kept; a scenario changes its digest with every edit. */
const KEPT = 100;

/**
 * The diagnoses of a process. Diagnoses run commands, so they run one at a time. Callers with the same digest share one
 * diagnosis. A complete one without a fail is kept, since the same digest gives the same answer. A fail is not kept, since
 * its cause may lie outside the scenario.
 */
export class Diagnoses {
  readonly time_box_ms: number;
  readonly #running = new Map<string, Running>();
  readonly #kept = new Map<string, Diagnosis>();
  readonly #queue = new Semaphore(1);

  constructor(time_box_ms = TIME_BOX_MS) {
    this.time_box_ms = time_box_ms;
  }

  /**
   * @param digest of the scenario
   * @param diagnose gets a signal that fires when nobody waits for the result any more
   * @throws what `diagnose` throws; the signal's reason when it fires first. Other callers go on waiting then.
   */
  async run(
    digest: string,
    diagnose: (signal: AbortSignal) => Promise<Diagnosis>,
    signal: AbortSignal,
  ): Promise<Diagnosis> {
    signal.throwIfAborted();
    const kept = this.#kept.get(digest);
    if (kept !== undefined) return kept;
    const running = this.#running.get(digest) ?? this.#start(digest, diagnose);
    running.waiting += 1;
    try {
      return await unlessAborted(running.result, signal);
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) this.#leave(digest, running, signal);
    }
  }

  #start(digest: string, diagnose: (signal: AbortSignal) => Promise<Diagnosis>): Running {
    const stop = new AbortController();
    const result = this.#queued(digest, () => diagnose(stop.signal), stop.signal);
    const running: Running = { result, stop, waiting: 0 };
    this.#running.set(digest, running);
    return running;
  }

  async #queued(digest: string, diagnose: () => Promise<Diagnosis>, signal: AbortSignal): Promise<Diagnosis> {
    using _place = await this.#queue.acquire(signal);
    const diagnosis = await diagnose();
    this.#keep(digest, diagnosis);
    return diagnosis;
  }

  /** Later callers start anew: this diagnosis is done or given up. */
  #leave(digest: string, running: Running, signal: AbortSignal): void {
    if (this.#running.get(digest) === running) this.#running.delete(digest);
    running.stop.abort(signal.reason);
  }

  #keep(digest: string, diagnosis: Diagnosis): void {
    if (!diagnosis.complete || diagnosis.checks.some(({ status }) => status === "fail")) return;
    this.#kept.set(digest, diagnosis);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([result, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
