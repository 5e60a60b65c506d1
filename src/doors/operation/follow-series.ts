import type { SeriesInFlight } from "../../comparison/planning/services.ts";
import type { RunEvent } from "../../domain/event.ts";
import { MAX_PARALLEL } from "../../domain/series-record.ts";
import type { SessionStore } from "../../store/store.ts";
import { type Announcement, followRun } from "./follow-run.ts";
/**
 * What the trials of a series announce, interleaved: those that run now from their start, then those that come, to the end of
 * the series. Trials that ended before are read with the series. Places count the announcements. It reads on when its reader
 * has taken what there was, so that a slow reader costs no memory.
 * @throws Failure when a log cannot be read
 */
export async function* followSeries(
  store: Pick<SessionStore, "read" | "watch">,
  series: SeriesInFlight,
  signal?: AbortSignal,
): AsyncGenerator<Announcement, void, void> {
  using trials = new FollowedTrials(store, series.done, signal);
  const isOver = endOf(series, trials.wake);
  trials.add(series.open);
  let [begun, n] = [series.sessions.length, 0];
  let next: Promise<void> | undefined;
  while (!signal?.aborted) {
    const news = trials.news();
    // The same promise until a trial begins, so that a long trial does not gather callbacks.
    if (next !== series.next()) {
      next = series.next();
      void next.then(trials.wake);
    }
    trials.add(series.sessions.slice(begun));
    begun = series.sessions.length;
    for (const event of trials.take()) {
      n += 1;
      yield { n, attempt: 1, event };
    }
    if (isOver() && trials.areDone) return;
    await news;
  }
}

/** Whether the series has ended; `wake` is called when it does. */
function endOf(series: SeriesInFlight, wake: () => void): () => boolean {
  let over = false;
  const end = () => {
    over = true;
    wake();
  };
  series.done.then(end, end);
  return () => over;
}

/** The logs of some trials, read at the pace of whoever takes the events. */
class FollowedTrials implements Disposable {
  readonly #store: Pick<SessionStore, "read" | "watch">;
  /** Settles when no trial runs any more. */
  readonly #over: Promise<unknown>;
  readonly #left = new AbortController();
  readonly #signal: AbortSignal;
  /** Trials not followed yet. At most as many logs are followed as trials can run at once. */
  readonly #queue: string[] = [];
  readonly #events: RunEvent[] = [];
  #open = 0;
  #failure: { readonly error: unknown } | undefined;
  #woken = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();

  constructor(store: Pick<SessionStore, "read" | "watch">, over: Promise<unknown>, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#over = over;
    this.#signal = signal ? AbortSignal.any([signal, this.#left.signal]) : this.#left.signal;
    this.#signal.addEventListener("abort", this.wake, { once: true });
  }

  readonly wake = (): void => this.#woken.resolve();

  get areDone(): boolean {
    return this.#open === 0 && this.#queue.length === 0 && this.#events.length === 0 && !this.#failure;
  }

  /** Resolves when something has happened since this was called. */
  news(): Promise<void> {
    this.#woken = Promise.withResolvers();
    return this.#woken.promise;
  }

  add(session_ids: Iterable<string>): void {
    this.#queue.push(...session_ids);
    this.#begin();
  }

  /** What has been read. The trials are read on when the reader comes back for more. @throws whatever reading them threw */
  *take(): Generator<RunEvent, void, void> {
    if (this.#failure) throw this.#failure.error;
    yield* this.#events.splice(0);
    this.#taken.resolve();
    this.#taken = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.#left.abort();
    this.#taken.resolve();
  }

  #begin(): void {
    while (this.#open < MAX_PARALLEL) {
      const session_id = this.#queue.shift();
      if (session_id === undefined) return;
      this.#open += 1;
      void this.#follow(session_id)
        .catch((error: unknown) => {
          this.#failure ??= { error };
        })
        .finally(() => {
          this.#open -= 1;
          this.#begin();
          this.wake();
        });
    }
  }

  async #follow(session_id: string): Promise<void> {
    for await (const { event } of followRun(this.#store, session_id, this.#signal, this.#over)) {
      this.#events.push(event);
      this.wake();
      await this.#taken.promise;
      if (this.#signal.aborted) return;
    }
  }
}
