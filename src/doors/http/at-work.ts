/**
 * Requests that are worked on: from the end of their body until their answer begins. A body that comes slowly and an answer that
 * its reader does not take are no work.
 */
export class AtWork {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  async on(answer: () => unknown): Promise<unknown> {
    this.#count += 1;
    try {
      return await answer();
    } finally {
      this.#count -= 1;
    }
  }
}
