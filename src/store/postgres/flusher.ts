import type { SessionEntry } from "../../domain/session-entry.ts";
import { dropKey, holdKey, type RequestKey } from "../request-keys.ts";
import { isOutage } from "../store.ts";
import type { PostgresDatabase } from "./connection.ts";
import type { Presence } from "./presence.ts";
import type { RunWakes } from "./run-wakes.ts";
import { runSteps, type Sql } from "./statement.ts";

/** One transaction, as its writes see it. */
export interface Flush {
  readonly sql: Sql;
  /** What lists show of the runs that write here, with what this transaction has written. */
  readonly logs: Map<string, readonly SessionEntry[]>;
  /** Sessions whose readers hear of it when it is committed. */
  readonly changed: Set<string>;
}

interface Write {
  readonly work: (flush: Flush) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Makes one transaction of what this process writes in one turn of the event loop, and of all that it writes while another
 * transaction is under way (group commit). One at a time: calls are stored in their order.
 *
 * All of it survives a power cut of the server: a log may lose its end in one, and never a part of its middle, as it would if
 * this process went on with a server that has forgotten what it had answered.
 *
 * When the connection breaks in the middle of COMMIT nobody knows whether it was done. So each transaction notes its
 * number in this process's row: where the number stands everything else does too, and nothing is written twice.
 */
export class Flusher {
  readonly #database: PostgresDatabase;
  readonly #presence: Presence;
  readonly #wakes: RunWakes;
  #logs = new Map<string, readonly SessionEntry[]>();
  #writes: Write[] = [];
  #number = 0;
  #running: Promise<void> | undefined;

  constructor(database: PostgresDatabase, presence: Presence, wakes: RunWakes) {
    this.#database = database;
    this.#presence = presence;
    this.#wakes = wakes;
  }

  /**
   * Does all of `work` or nothing of it, in the order of the calls; it may be called more than once. Resolves when it is stored.
   * @throws Failure
   */
  write<T>(work: (flush: Flush) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // The promise may have no listener.
    promise.catch(() => undefined);
    this.#writes.push({ work, resolve: resolve as Write["resolve"], reject });
    this.#running ??= new Promise<void>(setImmediate).then(() => this.#drain());
    return promise;
  }

  /** Forgets a run that writes no more. */
  forget(session_id: string): void {
    this.#logs.delete(session_id);
  }

  /** Resolves when everything that was asked for before is stored, or refused. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#writes.length > 0) {
      const writes = this.#writes;
      this.#writes = [];
      await this.#flush(writes);
    }
    this.#running = undefined;
  }

  async #flush(writes: readonly Write[]): Promise<void> {
    try {
      const { values, flush } = await this.#stored(writes);
      this.#logs = flush.logs;
      for (const [index, { resolve }] of writes.entries()) resolve(values[index]);
      for (const session_id of flush.changed) this.#wakes.wake(session_id);
    } catch (error) {
      await this.#failed(writes, error);
    }
  }

  /** One write that fails takes no other with it. In an outage the others are not tried. */
  async #failed(writes: readonly Write[], error: unknown): Promise<void> {
    if (writes.length === 1 || isOutage(error)) for (const { reject } of writes) reject(error);
    else for (const write of writes) await this.#flush([write]);
  }

  async #stored(writes: readonly Write[]): Promise<{ readonly values: readonly unknown[]; readonly flush: Flush }> {
    this.#number += 1;
    const number = this.#number;
    let tried: { readonly values: readonly unknown[]; readonly flush: Flush } | undefined;
    await this.#database.transaction(async (sql) => {
      if (!(await this.#presence.note(sql, number))) return;
      const flush: Flush = { sql, logs: new Map(this.#logs), changed: new Set() };
      const values: unknown[] = [];
      for (const { work } of writes) values.push(await work(flush));
      await this.#wakes.announce(sql, [...flush.changed]);
      tried = { values, flush };
    });
    if (tried === undefined) throw new Error("a transaction that was never tried cannot have been committed");
    return tried;
  }
}

/** Does `begin` unless somebody holds the key, which is held when `begin` gives true. */
export async function beginOnce(
  sql: Sql,
  asked: RequestKey | undefined,
  id: string,
  begin: () => Promise<boolean>,
): Promise<boolean> {
  if (asked === undefined) return await begin();
  if (!(await runSteps(sql, holdKey(asked, id)))) return false;
  const begun = await begin();
  if (!begun) await runSteps(sql, dropKey(asked.key));
  return begun;
}
