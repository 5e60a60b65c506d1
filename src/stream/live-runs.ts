import type { RunEvent } from "../domain/event.ts";

/** One run in flight. Keeps every event, so that a late subscriber misses none; the run never waits for a reader. */
export class LiveRun {
  readonly #events: RunEvent[] = [];
  readonly #stop = new AbortController();
  #next = Promise.withResolvers<void>();
  #ended = false;

  /** Fires when the run is to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  cancel(reason: Error): void {
    this.#stop.abort(reason);
  }

  publish(event: RunEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  /** Ends every subscription once it has delivered what there is. */
  close(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Every event so far, then the live ones, in order, until the run closes. */
  async *events(): AsyncGenerator<RunEvent, void, void> {
    let position = 0;
    for (;;) {
      const arrived = this.#next.promise;
      for (let event = this.#events[position]; event; event = this.#events[position]) {
        position += 1;
        yield event;
      }
      if (this.#ended) return;
      await arrived;
    }
  }

  #wake(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    resolve();
  }
}

/** The runs in flight by session id: an id without an entry has no live sender (spec part 6, rule 2). */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();

  open(session_id: string): LiveRun {
    const run = new LiveRun();
    this.#runs.set(session_id, run);
    return run;
  }

  get(session_id: string): LiveRun | undefined {
    return this.#runs.get(session_id);
  }

  all(): readonly LiveRun[] {
    return [...this.#runs.values()];
  }

  /** Oldest first. */
  ids(): readonly string[] {
    return [...this.#runs.keys()];
  }

  close(session_id: string): void {
    const run = this.#runs.get(session_id);
    this.#runs.delete(session_id);
    run?.close();
  }
}
