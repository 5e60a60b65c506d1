import type { Database } from "./database.ts";
import { storageFailure } from "./storage-failure.ts";

interface Write {
  /** Does its part of the transaction. Gives what tells the caller, when all of it is stored. */
  run(): () => void;
  reject(failure: unknown): void;
}

/**
 * Makes one transaction of what is written in one turn of the event loop, whoever writes (group commit): a transaction's
 * locks and pages cost more than the writes in it. It is made at the end of the turn: whoever notes something and goes on,
 * as an arm on its way to the next call of its model, does not wait for the database.
 */
export class WriteBatch {
  readonly #database: Database;
  /** Named in failures. */
  readonly #subject: string;
  readonly #takenBack: () => void;
  #writes: Write[] = [];

  /** `takenBack` is called when nothing is stored of what was written; some of it may be written again. */
  constructor(database: Database, subject: string, takenBack: () => void) {
    this.#database = database;
    this.#subject = subject;
    this.#takenBack = takenBack;
  }

  /**
   * Does all of `work` or nothing of it, in the order of the calls; more than once when another write of the batch fails.
   * Resolves when it is stored. @throws Failure
   */
  write<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // The promise may have no listener.
    promise.catch(() => undefined);
    if (this.#writes.length === 0) setImmediate(() => this.flush());
    const run = () => {
      const value = work();
      return () => resolve(value);
    };
    this.#writes.push({ run, reject });
    return promise;
  }

  /** Writes in a transaction of its own, before it returns. @throws Failure */
  now<T>(work: () => T): T {
    try {
      return this.#database.transaction(work).immediate();
    } catch (error) {
      this.#takenBack();
      throw storageFailure(error, this.#subject);
    }
  }

  /** Stores what waits now. Only the promises of the writes tell of a failure. */
  flush(): void {
    let writes = this.#writes;
    this.#writes = [];
    while (writes.length > 0) writes = this.#store(writes);
  }

  /** Gives what is left to store: one write that fails is left out, and takes no other with it. */
  #store(writes: readonly Write[]): Write[] {
    const failed: Write[] = [];
    const tried = (write: Write) => {
      try {
        return write.run();
      } catch (error) {
        // Else SQLite has taken back the whole transaction, as it does for want of space.
        if (this.#database.inTransaction) failed.push(write);
        throw error;
      }
    };
    try {
      const stored = this.now(() => writes.map(tried));
      for (const tell of stored) tell();
      return [];
    } catch (error) {
      for (const { reject } of failed.length > 0 ? failed : writes) reject(error);
      return failed.length > 0 ? writes.filter((write) => !failed.includes(write)) : [];
    }
  }
}
