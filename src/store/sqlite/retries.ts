import { isLoss } from "../store.ts";

/** How often what did not fit is tried again. */
const RETRY_MS = 1_000;

/** Ends of sessions or series that could not be stored. This process reads them; they are stored when that works again. */
export class Retries<T> implements Disposable {
  readonly #save: (end: T) => void;
  readonly #ends = new Map<string, T>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** A storage failure of `save` keeps the end for another try; any other failure lets it go. */
  constructor(save: (end: T) => void) {
    this.#save = save;
  }

  keep(id: string, end: T): void {
    this.#ends.set(id, end);
    this.#timer ??= setInterval(() => this.try(), RETRY_MS).unref();
  }

  get(id: string): T | undefined {
    return this.#ends.get(id);
  }

  drop(id: string): void {
    this.#ends.delete(id);
  }

  try(): void {
    for (const [id, end] of this.#ends) {
      this.#ends.delete(id);
      try {
        this.#save(end);
      } catch (error) {
        // The next try begins with another: one that never fits keeps none from being stored, and no try takes long.
        if (isLoss(error)) return void this.#ends.set(id, end);
      }
    }
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
