import { SQL } from "bun";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type DatabaseAddress, databaseAddress } from "./address.ts";
import { databaseFailure, isConnectionLoss } from "./database-failure.ts";
import { Reachability } from "./reachability.ts";

/** Statements go through one of these: the pool, a connection of it, or a transaction. */
export type Sql = Pick<SQL, "unsafe" | "array">;

export type Value = string | number | boolean | null | readonly (string | null)[];

/**
 * Runs a statement. Of rows, `int8` is text, `timestamptz` a Date, `bytea` a Buffer; `count` are those that it gave or wrote.
 * Texts are stored without U+0000, which PostgreSQL cannot hold.
 */
export async function ask<R = Record<string, unknown>>(
  sql: Sql,
  statement: string,
  values: readonly Value[] = [],
): Promise<readonly R[] & { readonly count: number }> {
  return await sql.unsafe<R[]>(
    statement,
    values.map((value) => (isList(value) ? sql.array(value.map(storable), "TEXT") : storable(value))),
  );
}

const isList = (value: Value) => typeof value === "object" && value !== null;

const storable = <T>(value: T) => (typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value);

interface ConnectionOptions {
  readonly url: string;
  /** Where LISTEN works, when `url` leads to a pooler that gives each transaction another connection. */
  readonly listen_url: string | undefined;
  /** How long a lost connection is tried for. */
  readonly lease_s: number;
  readonly version: string;
  readonly clock: Clock;
}

const CONNECTIONS = 8;
const CONNECT_TIMEOUT_S = 10;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/**
 * A PostgreSQL database. What is asked of it is asked again when the connection breaks, until the lease is over; so work that
 * writes must be the same when it is done twice, also when the first time was committed and nobody could say so.
 * Every error is a Failure, and none holds the password.
 */
export class PostgresDatabase implements AsyncDisposable {
  /** `postgres://user@host/database`: for people. */
  readonly name: string;
  readonly lease_ms: number;
  readonly #address: DatabaseAddress;
  readonly #listenAddress: DatabaseAddress | undefined;
  readonly #application: string;
  readonly #clock: Clock;
  readonly #reachability: Reachability;
  #sql: SQL;
  #listener: SQL | undefined;
  #closing = false;

  /** Connects with the first statement. @throws Failure `invalid_request` for what is no such URL */
  constructor({ url, listen_url, lease_s, version, clock }: ConnectionOptions) {
    this.#address = databaseAddress(url);
    this.#listenAddress = listen_url === undefined ? undefined : databaseAddress(listen_url);
    this.#application = `abeval ${version}`;
    this.#clock = clock;
    this.name = this.#address.name;
    this.lease_ms = lease_s * 1_000;
    this.#sql = this.#connect(this.#address);
    this.#reachability = new Reachability(clock, () => this.#tried((sql) => ask(sql, "SELECT 1"), this.lease_ms));
  }

  /** Whether it answers, known within half a second. */
  reachable(): Promise<boolean> {
    return this.#reachability.now();
  }

  /** The pool as it is now: after an outage it is another one. */
  get sql(): SQL {
    return this.#sql;
  }

  /** @throws Failure `storage_full` or `storage_failed`; what `work` throws as a Failure */
  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#retried(work, this.lease_ms);
  }

  /** Does what `read` does, once: for the first contact, when somebody waits to hear what is wrong. */
  async reach<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#tried(work, CONNECT_TIMEOUT_S * 2_000).catch((error: unknown) => {
      throw this.#failure(error);
    });
  }

  /** All of `work` or nothing of it. @throws as `read` does */
  async transaction<T>(work: (sql: Sql) => Promise<T>, longest_ms = this.lease_ms / 3): Promise<T> {
    // A connection that says nothing must be given up before the lease is over, while there is time for another. The server
    // gives up what we began as soon: a process that is stopped in the middle holds its locks no longer.
    const give_up_ms = Math.ceil(longest_ms);
    const begun = async (sql: Sql) => {
      await ask(sql, `SET LOCAL idle_in_transaction_session_timeout = ${give_up_ms}`);
      return await work(sql);
    };
    return await this.#retried((sql) => sql.begin(begun) as Promise<T>, give_up_ms);
  }

  /** Hears of `channel`; `again` whenever it may have missed something. The returned function ends it. @throws Failure */
  async listen(channel: string, heard: (payload: string) => void, again: () => void): Promise<() => Promise<void>> {
    this.#listener ??= this.#connect(this.#listenAddress ?? this.#address, 1);
    try {
      const subscription = await this.#listener.listen(channel, heard, again);
      return () => subscription.unlisten().catch(() => undefined);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Refuses all who wait for the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#sql, this.#listener].map((sql) => sql?.close({ timeout: 1 }).catch(() => undefined)));
  }

  async #retried<T>(work: (sql: SQL) => Promise<T>, longest_ms: number): Promise<T> {
    const end = this.#clock.ticks() + this.lease_ms;
    for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS)) {
      try {
        return await this.#tried(work, longest_ms);
      } catch (error) {
        const late = this.#clock.ticks() + pause_ms > end;
        if (error instanceof Failure || this.#closing || late || !isConnectionLoss(error)) throw this.#failure(error);
      }
      await Bun.sleep(pause_ms);
    }
  }

  async #tried<T>(work: (sql: SQL) => Promise<T>, longest_ms: number): Promise<T> {
    const sql = this.#sql;
    const { promise: silent, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#replace(sql);
      reject(new Silence());
    }, longest_ms);
    try {
      const working = work(sql);
      working.catch(() => undefined);
      const result = await Promise.race([working, silent]);
      this.#reachability.answered();
      return result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Its connections may lead nowhere: whoever waits on one of them is told so, and goes on with a new one. */
  #replace(silent: SQL): void {
    if (this.#sql !== silent || this.#closing) return;
    this.#sql = this.#connect(this.#address);
    void silent.close({ timeout: 0 }).catch(() => undefined);
  }

  #connect({ url, database }: DatabaseAddress, max = CONNECTIONS): SQL {
    return new SQL({
      ...{ url, database, max },
      connectionTimeout: CONNECT_TIMEOUT_S,
      connection: { application_name: this.#application },
      // A pooler gives each transaction a connection that knows nothing of the statements of the last one.
      prepare: this.#listenAddress === undefined,
    });
  }

  #failure(error: unknown): Failure {
    return databaseFailure(error, this.#address);
  }
}

class Silence extends Error {
  readonly code = "ERR_POSTGRES_CONNECTION_TIMEOUT";
}
