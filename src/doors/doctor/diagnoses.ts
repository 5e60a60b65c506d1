import type { DoctorCheck } from "../../domain/doctor-report.ts";
import { Semaphore } from "../../runtime/semaphore.ts";
import { SharedWork } from "../../runtime/shared-work.ts";

export interface Diagnosis {
  readonly checks: readonly DoctorCheck[];
  /** Everything was tried; false when the time was over first. */
  readonly complete: boolean;
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
  readonly #running = new SharedWork<Diagnosis>();
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
    return await this.#running.of(digest, (stop) => this.#queued(digest, () => diagnose(stop), stop), signal);
  }

  async #queued(digest: string, diagnose: () => Promise<Diagnosis>, signal: AbortSignal): Promise<Diagnosis> {
    using _place = await this.#queue.acquire(signal);
    const diagnosis = await diagnose();
    this.#keep(digest, diagnosis);
    return diagnosis;
  }

  #keep(digest: string, diagnosis: Diagnosis): void {
    if (!diagnosis.complete || diagnosis.checks.some(({ status }) => status === "fail")) return;
    this.#kept.set(digest, diagnosis);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
