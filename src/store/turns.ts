import type { Database } from "bun:sqlite";
import { guarded, storageFailure } from "./storage-failure.ts";

type Values = Record<string, string | number | null>;

interface Turn extends PromiseWithResolvers<void> {
  readonly held: Map<string, () => void>;
}

/**
 * Makes one transaction of what is written in one turn of the event loop, whoever writes: a transaction's locks and pages
 * cost more than the writes in it.
 */
export class Turns {
  readonly #database: Database;
  /** Named in failures. */
  readonly #subject: string;
  #turn: Turn | undefined;

  constructor(database: Database, subject: string) {
    this.#database = database;
    this.#subject = subject;
  }

  /** Settles with the writes made so far: rejects with a Failure when they are lost. */
  get committed(): Promise<void> | undefined {
    return this.#turn?.promise;
  }

  /** From here to the end of the turn no other process writes. @throws Failure */
  begin(): void {
    guarded(this.#subject, () => this.#begin());
  }

  /** Holds a write back to the end of the turn, in place of the one held under that name: of several the last counts. */
  hold(name: string, write: () => void): void {
    this.begin();
    this.#turn?.held.set(name, write);
  }

  holds(name: string): boolean {
    return this.#turn?.held.has(name) === true;
  }

  /** Makes what is held now, in order. A write that fails stays, so that the turn fails with it. @throws Failure */
  release(): void {
    const held = this.#turn?.held;
    for (const [name, write] of held ?? []) {
      write();
      held?.delete(name);
    }
  }

  /** @throws Failure */
  write(sql: string, values: Values) {
    return guarded(this.#subject, () => {
      this.#begin();
      try {
        return this.#database.query(sql).run(values);
      } catch (error) {
        // For want of space SQLite takes back the whole transaction, the earlier writes of this turn with it.
        if (!this.#database.inTransaction) this.#end()?.reject(storageFailure(error, this.#subject));
        throw error;
      }
    });
  }

  /** Ends the turn now. @throws Failure when its writes are lost. */
  commit(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    try {
      this.release();
      this.#database.run("COMMIT");
      this.#end();
      turn.resolve();
    } catch (error) {
      const failure = storageFailure(error, this.#subject);
      this.#end();
      turn.reject(failure);
      this.#rollBack();
      throw failure;
    }
  }

  /** The same; `committed` alone tells of a failure. */
  tryCommit(): void {
    try {
      this.commit();
    } catch {
      // Those whose writes they were hear of it.
    }
  }

  #rollBack(): void {
    try {
      if (this.#database.inTransaction) this.#database.run("ROLLBACK");
    } catch {
      // The next turn cannot begin, and says why.
    }
  }

  #begin(): void {
    if (this.#turn) return;
    this.#database.run("BEGIN IMMEDIATE");
    const turn: Turn = { ...Promise.withResolvers<void>(), held: new Map() };
    // Nobody has to wait for it.
    turn.promise.catch(() => undefined);
    this.#turn = turn;
    setImmediate(() => {
      if (turn === this.#turn) this.tryCommit();
    });
  }

  #end(): Turn | undefined {
    const turn = this.#turn;
    this.#turn = undefined;
    return turn;
  }
}
