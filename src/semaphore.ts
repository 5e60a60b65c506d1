/** Lets `size` holders in at once. The others wait in the order they came. */
export class Semaphore {
  readonly #size: number;
  readonly #max_waiting: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(size: number, max_waiting = Number.POSITIVE_INFINITY) {
    this.#size = size;
    this.#max_waiting = max_waiting;
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Every place is held, and as many wait as may. `acquire` does not look at it: ask before anything is promised. */
  get isFull(): boolean {
    return this.#held >= this.#size && this.waiting >= this.#max_waiting;
  }

  /** Waits for a place, which is held until it is disposed. @throws the signal's reason when it fires first. */
  async acquire(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#held < this.#size) this.#held += 1;
    else await this.#turn(signal);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#release();
        held = false;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      this.#waiting.delete(enter);
      reject(signal.reason);
    };
    this.#waiting.add(enter);
    signal.addEventListener("abort", leave, { once: true });
    return promise;
  }

  /** The place goes to the first who waits. It is not free in between, so nobody who comes later can take it. */
  #release(): void {
    const [enter] = this.#waiting;
    if (enter === undefined) {
      this.#held -= 1;
      return;
    }
    this.#waiting.delete(enter);
    enter();
  }
}
