import type { Failure } from "../domain/failure.ts";

interface InFlight {
  cancel(reason: Failure): void;
  readonly over?: () => boolean;
}

/** What this process has in flight, queued ones included. */
export class Register<One extends InFlight> {
  readonly #all = new Map<string, One>();

  add(id: string, one: One): void {
    this.#all.set(id, one);
  }

  delete(id: string): void {
    this.#all.delete(id);
  }

  /** Undefined when it does not run here, or no longer: then its stream answers 404. */
  live(id: string): One | undefined {
    const one = this.#all.get(id);
    return one?.over?.() ? undefined : one;
  }

  /** Oldest first. */
  all(): readonly One[] {
    return [...this.#all.values()];
  }
}
