/** The calls that have not been answered yet. */
export class PendingCalls {
  readonly #pending = new Set<Promise<unknown>>();

  track<T>(call: Promise<T>): Promise<T> {
    const tracked = call.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }

  /** When all have ended, or `patience_ms` have passed. */
  async settled(patience_ms: number): Promise<void> {
    const { promise: impatient, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patience_ms);
    await Promise.race([Promise.allSettled(this.#pending), impatient]);
    clearTimeout(timer);
  }
}
