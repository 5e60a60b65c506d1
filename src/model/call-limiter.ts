/** Bun's fetch runs at most 256 requests at once in a process; beyond our limit calls wait here, where no timeout runs. */
export const MAX_PROVIDER_CALLS = 200;

/** Lets at most `limit` provider calls run at once; the others wait in the order they came. Shared by a process. */
export class CallLimiter {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = Math.max(1, Math.min(Math.floor(limit), MAX_PROVIDER_CALLS));
  }

  /** Runs `call` when a place is free. Rejects with `signal.reason` when the signal fires before that. */
  async run<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await call();
    } finally {
      this.#release();
    }
  }

  /** Resolves when a finished call hands over its place. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      };
      this.#waiting.add(start);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
