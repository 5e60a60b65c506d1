import type { DoctorCheck } from "../../domain/health.ts";

export interface Examination {
  readonly checks: readonly DoctorCheck[];
  /** Everything was tried; false when the time was over first. */
  readonly complete: boolean;
}

interface Flight {
  readonly result: Promise<Examination>;
  readonly stop: AbortController;
  waiting: number;
}

/** Milliseconds for all commands of one examination: whoever asked waits for it. */
const TIME_BOX_MS = 120_000;

/** Results that are kept; a scenario changes its digest with every edit. */
const KEPT = 100;

/**
 * Examinations of a process, which run commands: one at a time, others wait in line. Who asks for one that is under way or
 * in line joins it. A complete one without a fail is kept for good, since the same digest gives the same answer; a fail is
 * looked at again, since its cause may lie outside the scenario.
 */
export class Examinations {
  readonly time_box_ms: number;
  readonly #flights = new Map<string, Flight>();
  readonly #kept = new Map<string, Examination>();
  #line: Promise<unknown> = Promise.resolve();

  constructor(time_box_ms = TIME_BOX_MS) {
    this.time_box_ms = time_box_ms;
  }

  /**
   * @param digest of what is examined
   * @param examine gets a signal that fires when nobody waits for the result any more
   * @throws what `examine` throws; the signal's reason when it fires first, and the others go on waiting.
   */
  async run(
    digest: string,
    examine: (signal: AbortSignal) => Promise<Examination>,
    signal: AbortSignal,
  ): Promise<Examination> {
    signal.throwIfAborted();
    const kept = this.#kept.get(digest);
    if (kept !== undefined) return kept;
    const flight = this.#flights.get(digest) ?? this.#start(digest, examine);
    flight.waiting += 1;
    try {
      return await unlessAborted(flight.result, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) this.#leave(digest, flight, signal);
    }
  }

  #start(digest: string, examine: (signal: AbortSignal) => Promise<Examination>): Flight {
    const stop = new AbortController();
    const result = this.#line.then(() => {
      stop.signal.throwIfAborted();
      return examine(stop.signal);
    });
    const flight: Flight = { result, stop, waiting: 0 };
    this.#flights.set(digest, flight);
    this.#line = result.then(
      (examination) => this.#keep(digest, examination),
      () => undefined,
    );
    return flight;
  }

  /** Nobody joins what was given up, and what is done needs no joining. */
  #leave(digest: string, flight: Flight, signal: AbortSignal): void {
    if (this.#flights.get(digest) === flight) this.#flights.delete(digest);
    flight.stop.abort(signal.reason);
  }

  #keep(digest: string, examination: Examination): void {
    if (!examination.complete || examination.checks.some(({ status }) => status === "fail")) return;
    this.#kept.set(digest, examination);
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
