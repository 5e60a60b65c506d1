import { isLoss } from "../store.ts";

/** How often what did not fit is tried again. */
const RETRY_MS = 1_000;

/** Writes that found no place, tried again until they do. */
export class Retries implements Disposable {
  readonly #writes = new Map<string, () => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** In place of what was kept for this id. A loss that `write` throws keeps it; any other failure lets it go. */
  keep(id: string, write: () => void): void {
    this.#writes.set(id, write);
    this.#timer ??= setInterval(() => this.try(), RETRY_MS).unref();
  }

  drop(id: string): void {
    this.#writes.delete(id);
  }

  try(): void {
    for (const [id, write] of this.#writes) {
      this.#writes.delete(id);
      try {
        write();
      } catch (error) {
        // The next try begins with another: one that never fits keeps none from being stored, and no try takes long.
        if (isLoss(error)) return void this.#writes.set(id, write);
      }
    }
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
