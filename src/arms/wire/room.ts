/** Bytes that several rooms may hold together. */
export interface Pot {
  readonly most: number;
  /** What each of them may hold in any case, so that nobody who takes much keeps the others out. */
  readonly fair: number;
  held: number;
}

/** Counts the bytes that one agent has us hold. What it holds is given back when it is disposed of. */
export class Room implements Disposable {
  readonly #most: number;
  readonly #pot: Pot;
  #held = 0;

  constructor(most: number, pot: Pot = { most, fair: most, held: 0 }) {
    this.#most = most;
    this.#pot = pot;
  }

  get held(): number {
    return this.#held;
  }

  /** False: there is no room for so many more. Less than nothing is given back, for which there is always room. */
  take(bytes: number): boolean {
    const held = this.#held + bytes;
    if (bytes > 0 && held > this.#most) return false;
    if (bytes > 0 && held > this.#pot.fair && this.#pot.held + bytes > this.#pot.most) return false;
    this.give(-bytes);
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
    this.#pot.held -= bytes;
  }

  [Symbol.dispose](): void {
    this.give(this.#held);
  }
}
