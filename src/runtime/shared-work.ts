interface Running<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/** Work that all who want the same at the same time share, by key. It is stopped when nobody waits for it any more. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  /**
   * The last one to leave waits until the work has stopped, so that nothing of it outlives its callers.
   * @param begin is called unless the work runs already; its signal fires when nobody waits any more
   * @throws what the work throws; the signal's reason when it fires first. Other callers go on waiting then.
   */
  async of(key: string, begin: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const running = this.#running.get(key) ?? this.#start(key, begin);
    running.waiting += 1;
    try {
      return await unlessAborted(running.result, signal);
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) await this.#stop(key, running, signal.reason);
    }
  }

  #start(key: string, begin: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    const running: Running<T> = { result: begin(stop.signal), stop, waiting: 0 };
    this.#running.set(key, running);
    return running;
  }

  /** Later callers start anew: this work is done or given up. */
  async #stop(key: string, running: Running<T>, reason: unknown): Promise<void> {
    this.#running.delete(key);
    running.stop.abort(reason);
    await running.result.catch(() => undefined);
  }
}

/** @param signal has not fired @throws its reason when it does; nobody waits for the result then */
export async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([result, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
