export interface Clock {
  now(): Date;
  /** Monotonic milliseconds; of a `LoopClock`, only those in which our own event loop ran. */
  ticks(): number;
  /** Counts what `ticks` leaves out, until the count is disposed. Absent: it leaves out nothing. */
  watch?(): StallCount;
}

/** Milliseconds in which our own event loop stood still since the count began. */
export interface StallCount extends Disposable {
  readonly ms: number;
}

/** All time counts: for leases, and for how long a client waited. */
export const systemClock: Clock = { now: () => new Date(), ticks: () => performance.now() };

/** Milliseconds between two looks. Only while somebody watches. */
const LOOK_MS = 50;

/** Milliseconds between two looks beyond which the loop stood still. Its steps promise 50. */
const BORDER_MS = 100;

/**
 * A clock that stands still while our own event loop does: in long work for somebody else, in garbage collection, in a process
 * that is stopped. What an arm may use is measured by it, so that nobody pays for such a pause.
 */
export class LoopClock implements Clock {
  readonly #clock: Clock;
  #watchers = 0;
  #looks: Timer | undefined;
  #seen = 0;
  #stalled = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    return this.#clock.now();
  }

  ticks(): number {
    return this.#clock.ticks() - this.#left_out;
  }

  watch(): StallCount {
    this.#watchers += 1;
    if (this.#watchers === 1) this.#begin();
    const before = this.#left_out;
    const since = () => this.#left_out - before;
    let [watching, end] = [true, 0];
    return {
      get ms() {
        return watching ? since() : end;
      },
      [Symbol.dispose]: () => {
        if (!watching) return;
        [watching, end] = [false, since()];
        this.#watchers -= 1;
        if (this.#watchers === 0) this.#end();
      },
    };
  }

  /** Counts also the pause that just ends and that no look has seen: whoever asks may be the first to run after it. */
  get #left_out(): number {
    if (this.#looks === undefined) return this.#stalled;
    return this.#stalled + Math.max(0, this.#clock.ticks() - this.#seen - BORDER_MS);
  }

  #begin(): void {
    this.#seen = this.#clock.ticks();
    this.#looks = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  #look(): void {
    this.#stalled = this.#left_out;
    this.#seen = this.#clock.ticks();
  }

  #end(): void {
    this.#look();
    clearInterval(this.#looks);
    this.#looks = undefined;
  }
}

/** One for the whole process, which has one loop. */
export const loopClock = new LoopClock(systemClock);

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls `fire` when `ms` have passed. After a pause of our own loop that much longer, so that what came in time is heard first. */
export function startTimer(clock: Clock, ms: number, fire: () => void): Disposable {
  const stalls = clock.watch?.();
  let counted = 0;
  const due = () => {
    const lost = (stalls?.ms ?? 0) - counted;
    if (lost >= 1) {
      counted += lost;
      timer = setTimeout(due, lost);
      return;
    }
    stalls?.[Symbol.dispose]();
    fire();
  };
  let timer = setTimeout(due, Math.min(ms, LONGEST_TIMER_MS));
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      stalls?.[Symbol.dispose]();
    },
  };
}

/** `bytes` random bytes as hex. A parameter wherever chance is used, so that tests can fix it. */
export type Entropy = (bytes: number) => string;

export const systemEntropy: Entropy = (bytes) => crypto.getRandomValues(new Uint8Array(bytes)).toHex();
