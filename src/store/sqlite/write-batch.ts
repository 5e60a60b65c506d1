import type { Clock } from "../../runtime/clock.ts";
import { dropKey, forgetKeys, holdKey, type RequestKey } from "../request-keys.ts";
import type { SqlDriver } from "../sql.ts";
import { type Database, runSteps } from "./database.ts";
import { guarded, isLocked, storageFailure } from "./storage-failure.ts";

/** How long a write waits while another process keeps the database locked. */
const PATIENCE_MS = 10_000;

/** Between two tries. */
const PAUSE_MS = 50;

interface Write {
  /** The last moment at which it waits for a lock. */
  readonly until: number;
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
  readonly #clock: Clock;
  /** Named in failures. */
  readonly #subject: string;
  readonly #takenBack: () => void;
  readonly #demandPlace: () => void;
  #writes: Write[] = [];
  /** Why writes wait between two tries. */
  #locked: unknown;

  /** `takenBack` is called when nothing is stored of what was written; some of it may be written again. `demandPlace` throws while nothing lasts. */
  constructor(
    database: Database,
    clock: Clock,
    subject: string,
    takenBack: () => void,
    demandPlace: () => void = () => undefined,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#subject = subject;
    this.#takenBack = takenBack;
    this.#demandPlace = demandPlace;
  }

  /**
   * Does all of `work` or nothing of it, in the order of the calls; more than once when another write of the batch fails.
   * Resolves when it is stored. While another process keeps the database locked it waits, for `PATIENCE_MS` at most. @throws Failure
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
    this.#writes.push({ until: this.#clock.ticks() + PATIENCE_MS, run, reject });
    return promise;
  }

  /** Writes in a transaction of its own, before it returns; never while other writes wait for a lock. @throws Failure */
  now<T>(work: () => T): T {
    if (this.#locked !== undefined) throw this.#locked;
    try {
      this.#demandPlace();
      return this.#database.transaction(work).immediate();
    } catch (error) {
      this.#takenBack();
      throw storageFailure(error, this.#subject);
    }
  }

  /**
   * Stores what waits now; unless it is the `last` time, what finds the database locked goes on waiting. Only the promises of the
   * writes tell of a failure.
   */
  flush(last = false): void {
    this.#locked = undefined;
    let writes = this.#writes;
    this.#writes = [];
    while (writes.length > 0) writes = this.#store(writes, last ? Number.POSITIVE_INFINITY : this.#clock.ticks());
  }

  /** Gives what is left to store: one write that fails is left out, and takes no other with it. */
  #store(writes: readonly Write[], now: number): Write[] {
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
      for (const { reject } of failed) reject(error);
      if (failed.length > 0) return writes.filter((write) => !failed.includes(write));
      this.#refuse(writes, error, now);
      return [];
    }
  }

  /** What may still wait for a lock is put in front of what is written meanwhile. */
  #refuse(writes: readonly Write[], why: unknown, now: number): void {
    const waits = ({ until }: Write) => isLocked(why) && until > now;
    for (const write of writes) if (!waits(write)) write.reject(why);
    const waiting = writes.filter(waits);
    if (waiting.length === 0) return;
    this.#writes.unshift(...waiting);
    this.#locked = why;
    setTimeout(() => this.flush(), PAUSE_MS);
  }
}

/** Runs the steps of a reader at once, and those of a writer in a batch. `subject` is named in failures. */
export const sqliteDriver = (database: Database, batch: WriteBatch, subject: string): SqlDriver => ({
  read: async (steps) => guarded(subject, () => runSteps(database, steps())),
  write: (steps) => batch.write(() => runSteps(database, steps())),
});

/** Does `begin` unless somebody holds the key, which is held when `begin` gives something. Belongs in a transaction. */
export function beginOnce<T>(
  database: Database,
  asked: RequestKey | undefined,
  id: string,
  begin: () => T | undefined,
): T | undefined {
  if (asked === undefined) return begin();
  runSteps(database, forgetKeys(asked.at));
  if (!runSteps(database, holdKey(asked, id))) return undefined;
  const begun = begin();
  if (begun === undefined) runSteps(database, dropKey(asked.key));
  return begun;
}
