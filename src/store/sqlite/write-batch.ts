import type { Database } from "./database.ts";
import { guarded, storageFailure } from "./storage-failure.ts";

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
  #writes: Write[] = [];

  constructor(database: Database, subject: string) {
    this.#database = database;
    this.#subject = subject;
  }

  /** Does all of `work` or nothing of it, in the order of the calls. Resolves when it is stored. @throws Failure */
  write<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // Nobody has to wait for it.
    promise.catch(() => undefined);
    if (this.#writes.length === 0) setImmediate(() => this.flush());
    const run = () => {
      // Inside a transaction this is a savepoint.
      const value = this.#database.transaction(work)();
      return () => resolve(value);
    };
    this.#writes.push({ run, reject });
    return promise;
  }

  /** In a transaction of its own, before it returns. @throws Failure */
  now<T>(work: () => T): T {
    return guarded(this.#subject, () => this.#database.transaction(work).immediate());
  }

  /** Stores what waits now. Only the promises of the writes tell of a failure. */
  flush(): void {
    const writes = this.#writes;
    this.#writes = [];
    if (writes.length === 0) return;
    try {
      const stored = this.#database.transaction(() => writes.flatMap((write) => this.#tried(write))).immediate();
      for (const tell of stored) tell();
    } catch (error) {
      const failure = storageFailure(error, this.#subject);
      for (const { reject } of writes) reject(failure);
    }
  }

  /** What fails takes no other write with it, unless SQLite took back the whole transaction, as it does for want of space. */
  #tried(write: Write): (() => void)[] {
    try {
      return [write.run()];
    } catch (error) {
      if (!this.#database.inTransaction) throw error;
      write.reject(storageFailure(error, this.#subject));
      return [];
    }
  }
}
