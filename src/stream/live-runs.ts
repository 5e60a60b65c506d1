import type { RunEvent } from "../domain/event.ts";

/** One run in flight. Keeps every event, so that a late subscriber misses none; the run never waits for a reader. */
export class LiveRun {
  readonly #events: RunEvent[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #stop = new AbortController();
  #ended = false;

  /** Fires when the run is to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** There will be no more events. */
  get ended(): boolean {
    return this.#ended;
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

  /** The event of that place, counted from 0; undefined while it has not come. */
  at(position: number): RunEvent | undefined {
    return this.#events[position];
  }

  /** Calls `wake` after each event and at the end, until the returned function is called. */
  watch(wake: () => void): () => void {
    this.#watchers.add(wake);
    return () => void this.#watchers.delete(wake);
  }

  /** Every event so far, then the live ones, in order, until the run closes. */
  async *events(): AsyncGenerator<RunEvent, void, void> {
    let arrived = Promise.withResolvers<void>();
    const leave = this.watch(() => arrived.resolve());
    try {
      for (let position = 0; ; ) {
        arrived = Promise.withResolvers<void>();
        for (let event = this.at(position); event; event = this.at(position)) {
          position += 1;
          yield event;
        }
        if (this.#ended) return;
        await arrived.promise;
      }
    } finally {
      leave();
    }
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
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
