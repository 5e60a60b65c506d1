/** Who wants to hear of which session. */
export class Watchers {
  readonly #wakes = new Map<string, Set<() => void>>();

  /** Sessions that somebody watches. */
  get size(): number {
    return this.#wakes.size;
  }

  watch(session_id: string, wake: () => void): () => void {
    const wakes = this.#wakes.get(session_id) ?? new Set();
    this.#wakes.set(session_id, wakes.add(wake));
    return () => {
      if (wakes.delete(wake) && wakes.size === 0) this.#wakes.delete(session_id);
    };
  }

  wake(session_id: string): void {
    for (const wake of [...(this.#wakes.get(session_id) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const session_id of [...this.#wakes.keys()]) this.wake(session_id);
  }
}
