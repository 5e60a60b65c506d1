export interface Waiter {
  /** Called with true when it waits and holds no place, and with false when that is over. */
  outside?(isOutside: boolean): void;
}

/** Who asks: a name, or somebody who hears of it. */
type Owner = Waiter | string;

/**
 * Lets `size` holders in at once. The others wait in the order they came; owners who have several in line
 * have a turn each. An owner who holds a place already leaves `kept` of
 * them to others, so that nobody who asks for many at once keeps the rest out.
 */
export class Semaphore {
  readonly #size: number;
  readonly #max_waiting: number;
  readonly #kept: number;
  /** By owner, in the order in which they are asked. */
  readonly #waiting = new Map<Owner, Set<() => void>>();
  /** Places by owner; who holds none is not in it. */
  readonly #held = new Map<Owner, number>();
  readonly #outside = new Set<Owner>();
  #taken = 0;
  #waits = 0;

  constructor(size: number, max_waiting = Number.POSITIVE_INFINITY, kept = 0) {
    this.#size = size;
    this.#max_waiting = max_waiting;
    this.#kept = kept;
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waits;
  }

  /** Every place is held, and as many wait as may. `acquire` does not look at it: ask before anything is promised. */
  get isFull(): boolean {
    return this.#taken >= this.#size && this.waiting >= this.#max_waiting;
  }

  /**
   * Waits for a place, which is held until it is disposed. Without an `owner` it is somebody's only one.
   * @throws the signal's reason when it fires first.
   */
  async acquire(signal: AbortSignal, owner: Owner = {}): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#mayEnter(owner)) this.#take(owner);
    else await this.#turn(signal, owner);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#release(owner);
        held = false;
      },
    };
  }

  #mayEnter(owner: Owner): boolean {
    if (this.#taken >= this.#size) return false;
    const second_places = this.#taken - this.#held.size;
    return !this.#held.has(owner) || second_places < this.#size - this.#kept;
  }

  #take(owner: Owner): void {
    this.#taken += 1;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  #turn(signal: AbortSignal, owner: Owner): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      this.#leaveLine(owner, enter);
      this.#tell(owner);
      reject(signal.reason);
    };
    const line = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, line.add(enter));
    this.#waits += 1;
    this.#tell(owner);
    signal.addEventListener("abort", leave, { once: true });
    return promise;
  }

  #tell(owner: Owner): void {
    if (typeof owner === "string") return;
    const isOutside = this.#waiting.has(owner) && !this.#held.has(owner);
    if (isOutside === this.#outside.has(owner)) return;
    if (isOutside) this.#outside.add(owner);
    else this.#outside.delete(owner);
    owner.outside?.(isOutside);
  }

  #leaveLine(owner: Owner, enter: () => void): void {
    const line = this.#waiting.get(owner);
    if (!line?.delete(enter)) return;
    this.#waits -= 1;
    if (line.size === 0) this.#waiting.delete(owner);
  }

  #release(owner: Owner): void {
    const left = (this.#held.get(owner) ?? 0) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
    this.#taken -= 1;
    const next = this.#handOver();
    for (const one of [owner, next]) if (one !== undefined) this.#tell(one);
  }

  /** The place goes to the first who may have it. It is not free in between, so nobody who comes later can take it. */
  #handOver(): Owner | undefined {
    for (const [next, line] of this.#waiting) {
      const [enter] = line;
      if (enter === undefined || !this.#mayEnter(next)) continue;
      this.#take(next);
      this.#leaveLine(next, enter);
      // The others are asked before its next one.
      if (this.#waiting.delete(next) && line.size > 0) this.#waiting.set(next, line);
      enter();
      return next;
    }
    return undefined;
  }
}
