/** Work of a few milliseconds, in units. A unit is what looking at one entry of a directory takes. */
const UNITS = 200;

/** Bytes that are read, compared or decoded in the time of one unit. */
const UNIT_BYTES = 20_000;

/** Characters of a path along which the kernel walks in the time of one unit, when every step has one. */
const UNIT_PATH_CHARS = 500;

/**
 * Lets timers and sockets have their turn in long work. Counted and not timed, so that the same work always breathes at the
 * same places. A single step must not be longer than a few dozen milliseconds.
 */
export class Pace {
  #left = UNITS;

  /** Await it: after enough work it ends only when others had their turn. */
  async entry(): Promise<void> {
    await this.#spend(1);
  }

  /** As `entry`, for one that may lie deep. */
  async path(path: string): Promise<void> {
    await this.#spend(1 + path.length / UNIT_PATH_CHARS);
  }

  async units(count: number): Promise<void> {
    await this.#spend(count);
  }

  async bytes(count: number): Promise<void> {
    await this.#spend(1 + count / UNIT_BYTES);
  }

  async #spend(units: number): Promise<void> {
    this.#left -= units;
    if (this.#left > 0) return;
    this.#left = UNITS;
    await breathe();
  }
}

/** Does work that yields its units as it goes, and lets others have their turn meanwhile. */
export async function steadily<T>(work: Generator<number, T>, pace = new Pace()): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pace.units(step.value);
  }
}

let breath = Promise.resolve();

/** One turn for others. Whoever breathes at the same moment goes on one after the other, each in a turn of its own. */
export function breathe(): Promise<void> {
  breath = breath.then(() => new Promise((resolve) => setImmediate(resolve)));
  return breath;
}

let taken = Promise.resolve();

/** A turn that no other caller has, this one if it is free, in the order of the calls: for work that many may ask for at once. */
export function ownTurn(): Promise<void> {
  const own = taken;
  taken = own.then(breathe);
  return own;
}
