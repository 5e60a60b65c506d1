/** What becomes of work that has a limit. */
export type Bounded<T> =
  | { readonly value: T }
  /** It is over a limit that is the same on every machine; this says which. */
  | { readonly over: string }
  /** Time or the machine ran out, which is nobody's fault; this says how. */
  | { readonly late: string };

/** Thrown by work that is over its limit. Its message goes on from "it ", with the limit. */
export class OverLimit extends Error {
  override readonly name = "OverLimit";
}

/**
 * Counts the steps of work whose cost is a product: nodes of a schema times values, instructions of a pattern times characters,
 * hunks times lines. What is counted never depends on how busy a machine is, so neither does what is found.
 */
export class Steps {
  readonly #limit: number;
  readonly #what: string;
  #taken = 0;

  /** @param what they are, if they have a name of their own */
  constructor(limit: number, what = "steps") {
    this.#limit = limit;
    this.#what = what;
  }

  /** @throws OverLimit once there are more than the limit */
  take(count: number): void {
    this.#taken += count;
    if (this.#taken > this.#limit)
      throw new OverLimit(`takes more than ${this.#limit.toLocaleString("en")} ${this.#what}`);
  }
}
