import { isLoss } from "../store.ts";

/** How often what could not be stored is tried again. */
const RETRY_MS = 1_000;

/** Ends of sessions or series that could not be stored. This process reads them; they are stored when that works again. */
export class UnsavedEnds<T> implements Disposable {
  readonly #save: (end: T) => Promise<unknown>;
  readonly #ends = new Map<string, T>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #trying: Promise<void> | undefined;

  /** A storage failure of `save` has it called again later; after any other the end is let go. */
  constructor(save: (end: T) => Promise<unknown>) {
    this.#save = save;
  }

  keep(id: string, end: T): void {
    this.#ends.set(id, end);
    this.#timer ??= setInterval(() => void this.try(), RETRY_MS).unref();
  }

  get(id: string): T | undefined {
    return this.#ends.get(id);
  }

  drop(id: string): void {
    this.#ends.delete(id);
  }

  /** Never rejects. */
  async try(): Promise<void> {
    this.#trying ??= this.#tryAll().finally(() => {
      this.#trying = undefined;
    });
    await this.#trying;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tryAll(): Promise<void> {
    for (const [id, end] of this.#ends) {
      try {
        await this.#save(end);
      } catch (error) {
        if (isLoss(error)) continue;
      }
      if (this.#ends.get(id) === end) this.#ends.delete(id);
    }
    if (this.#ends.size === 0) this[Symbol.dispose]();
  }
}
