import { setTimeout as sleep } from "node:timers/promises";
import { wordsOf } from "../../../domain/failure.ts";
import type { Needs, Work, WorkClaim } from "../../../store/shared-store.ts";
import { NEED_OF_PROTOCOLS } from "../../planning/needs.ts";
import type { Workplace } from "./brief.ts";
import { performSeries } from "./perform-series.ts";
import { performSession } from "./perform-session.ts";
import { SeriesLooks } from "./series-looks.ts";

interface WorkerOptions {
  /** Sessions at once; 0: it takes no work and is still seen. */
  readonly slots: number;
  readonly capabilities: Needs;
  /** Fires when it takes no more work. */
  readonly stopping: AbortSignal;
}

/** Milliseconds before what could not be begun here is anybody's again. */
const REST_MS = 2_000;

/** Series at once: each only waits for its trials. */
const MAX_SERIES = 20;

/**
 * Takes work from the queue of a shared store, as much as it has places for, until it is told to stop. The others know it when
 * it resolves. @throws Failure when they cannot be told
 */
export async function startWorker(place: Omit<Workplace, "looks">, options: WorkerOptions): Promise<void> {
  const workplace = { ...place, looks: new SeriesLooks(place.shared) };
  const worker = new Worker(workplace, options);
  await workplace.shared.workers.announce({
    slots: options.slots,
    capabilities: options.capabilities,
    running: () => worker.running,
  });
  if (options.slots > 0) worker.begin();
}

class Worker {
  readonly #workplace: Workplace;
  readonly #options: WorkerOptions;
  readonly #held = { session: 0, series: 0 };
  /** It looks for work now, and whether it shall look again after that. */
  #looking = false;
  #again = false;

  constructor(workplace: Workplace, options: WorkerOptions) {
    this.#workplace = workplace;
    this.#options = options;
  }

  get running(): number {
    return this.#held.session;
  }

  begin(): void {
    const unwatch = this.#workplace.shared.queue.watch(() => void this.#look());
    this.#options.stopping.addEventListener("abort", unwatch, { once: true });
    void this.#look();
  }

  async #look(): Promise<void> {
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#again && !this.#options.stopping.aborted) {
        this.#again = false;
        await this.#claim("series", MAX_SERIES);
        await this.#claim("session", this.#options.slots);
      }
    } catch (error) {
      // The queue wakes it again from time to time.
      this.#workplace.services.notice(`no work can be taken: ${wordsOf(error)}`);
    } finally {
      this.#looking = false;
    }
  }

  async #claim(kind: Work["kind"], places: number): Promise<void> {
    const free = places - this.#held[kind];
    if (free <= 0) return;
    const { queue } = this.#workplace.shared;
    const claims = await queue.claim(kind, this.#options.capabilities, free, NEED_OF_PROTOCOLS);
    for (const claim of claims) void this.#perform(claim);
  }

  async #perform(claim: WorkClaim): Promise<void> {
    const { kind, id } = claim.work;
    this.#held[kind] += 1;
    try {
      // What was claimed while it was told to stop is for others.
      if (this.#options.stopping.aborted) return await claim.handBack();
      await PERFORM[kind](this.#workplace, claim);
    } catch (error) {
      this.#workplace.services.notice(`${id} is left to others: ${wordsOf(error)}`);
      // What fails with everybody must not go round without a rest.
      await sleep(REST_MS, undefined, { signal: this.#options.stopping }).catch(() => undefined);
      await claim.handBack().catch(() => undefined);
    } finally {
      this.#held[kind] -= 1;
      void this.#look();
    }
  }
}

const PERFORM = { session: performSession, series: performSeries };
