import { SQL } from "bun";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { Semaphore } from "../../runtime/semaphore.ts";
import { demandReader } from "../store.ts";
import { ConnectionPool } from "./connection-pool.ts";
import {
  type DatabaseAddress,
  databaseAddress,
  databaseFailure,
  isConnectionLoss,
  isReadOnly,
} from "./database-failure.ts";
import { Reachability } from "./reachability.ts";
import { ask, type Sql } from "./statement.ts";

interface ConnectionOptions {
  readonly url: string;
  /** An address where LISTEN works, when `url` is a pooler that gives each transaction another connection. */
  readonly listen_url: string | undefined;
  /** Seconds for which a lost connection is retried. */
  readonly lease_s: number;
  readonly version: string;
  readonly clock: Clock;
}

/** The connections of a process; with the one that listens there are 9. They are separate so that readers block no write, and neither blocks a sign of life. */
const CONNECTIONS = { reads: 4, writes: 3, signs: 1 } as const;
type Use = keyof typeof CONNECTIONS;

const CONNECT_TIMEOUT_S = 10;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Milliseconds that a search may take. */
const SEARCH_MS = 10_000;

/** Searches that may queue. */
const WAITING_SEARCHES = 50;

const NEVER = new AbortController().signal;

/** Milliseconds for which a lost connection is retried while a person waits for the answer. */
export const PATIENCE_MS = 1_000;

/**
 * A PostgreSQL database. Work is repeated when the connection breaks, until the lease is over, so work that
 * writes must be idempotent, also when the first attempt was committed without an answer.
 * A server that has become a standby counts as a broken connection, because another server may answer next.
 * Every error is a Failure, and none holds the password.
 */
export class PostgresDatabase implements AsyncDisposable {
  /** `postgres://user@host/database`, to be shown. */
  readonly name: string;
  readonly lease_ms: number;
  readonly #address: DatabaseAddress;
  readonly #listenAddress: DatabaseAddress | undefined;
  readonly #application: string;
  readonly #clock: Clock;
  readonly #reading: Reachability;
  readonly #writing: Reachability;
  /** Half of the reading connections are kept for quick queries. */
  readonly #searches = new Semaphore(CONNECTIONS.reads / 2, WAITING_SEARCHES);
  readonly #pools: Readonly<Record<Use, ConnectionPool>>;
  #listener: SQL | undefined;
  #closing = false;

  /** Connects with the first statement. @throws Failure `invalid_request` for a malformed URL */
  constructor({ url, listen_url, lease_s, version, clock }: ConnectionOptions) {
    this.#address = databaseAddress(url);
    this.#listenAddress = listen_url === undefined ? undefined : databaseAddress(listen_url);
    this.#application = `abeval ${version}`;
    this.#clock = clock;
    this.name = this.#address.name;
    this.lease_ms = lease_s * 1_000;
    const open = (connections: number) => this.#connect(this.#address, connections);
    const pool = (use: Use) => new ConnectionPool({ connections: CONNECTIONS[use], open });
    this.#pools = { reads: pool("reads"), writes: pool("writes"), signs: pool("signs") };
    const asks = (statement: string) => () => this.#tried("signs", (sql) => ask(sql, statement), this.lease_ms);
    this.#reading = new Reachability(clock, asks("SELECT 1"));
    this.#writing = new Reachability(clock, asks(DEMAND_WRITABLE));
  }

  /** Whether it answers, within half a second. */
  reachable(): Promise<boolean> {
    return this.#reading.now();
  }

  /** Whether it also accepts writes, which a standby does not. */
  writable(): Promise<boolean> {
    return this.#writing.now();
  }

  /** The current connections for writing; an outage replaces them. */
  get sql(): SQL {
    return this.#pools.writes.sql;
  }

  /** @throws Failure `storage_full` or `storage_failed`; what `work` throws as a Failure */
  async read<T>(work: (sql: Sql) => Promise<T>, patience_ms = this.lease_ms): Promise<T> {
    return await this.#retried("reads", work, { longest_ms: this.lease_ms, patience_ms });
  }

  /**
   * Runs a query that may take long: a few at once, none longer than `SEARCH_MS`, and cancelled when the caller has gone.
   * @throws Failure `overloaded` for a query that took too long, or when too many wait; `cancelled`; as `read` does
   */
  async search<T>(work: (sql: Sql) => Promise<T>, signal: AbortSignal = NEVER): Promise<T> {
    if (this.#searches.isFull)
      throw new Failure("overloaded", "too many searches are waiting; try again", { retryable: true });
    using _place = await this.#searches.acquire(signal).catch((error: unknown) => {
      demandReader(signal);
      throw error;
    });
    const times = { longest_ms: this.lease_ms, patience_ms: PATIENCE_MS };
    const begun = (sql: SQL) => sql.begin((own) => this.#searching(own, work, signal)) as Promise<T>;
    return await this.#retried("reads", begun, times);
  }

  /** Runs one statement, or several that do not depend on each other. @throws as `read` does */
  async write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#retried("writes", work, { longest_ms: this.lease_ms, patience_ms: this.lease_ms });
  }

  /** Writes a sign of life without waiting for other queries. @throws as `read` does */
  async sign<T>(work: (sql: SQL) => Promise<T>, patience_ms = this.lease_ms): Promise<T> {
    return await this.#retried("signs", work, { longest_ms: this.lease_ms / 3, patience_ms });
  }

  /** Does what `read` does, without retries, for the first contact: a person waits to hear what is wrong. */
  async reach<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#tried("writes", work, CONNECT_TIMEOUT_S * 2_000).catch((error: unknown) => {
      throw this.#failure(error);
    });
  }

  /** Commits all of `work` or none of it. @throws as `read` does */
  async transaction<T>(work: (sql: Sql) => Promise<T>, longest_ms = this.lease_ms / 3): Promise<T> {
    // A silent connection must be given up before the lease is over, while there is time for another. The server
    // aborts our transaction after the same time, so that a stopped process does not hold its locks longer.
    const give_up_ms = Math.ceil(longest_ms);
    const begun = async (sql: Sql) => {
      await ask(sql, `SET LOCAL idle_in_transaction_session_timeout = ${give_up_ms}`);
      return await work(sql);
    };
    const times = { longest_ms: give_up_ms, patience_ms: this.lease_ms };
    return await this.#retried("writes", (sql) => sql.begin(begun) as Promise<T>, times);
  }

  /** Listens on `channel`; calls `again` whenever it may have missed something. The returned function ends it. @throws Failure */
  async listen(channel: string, heard: (payload: string) => void, again: () => void): Promise<() => Promise<void>> {
    this.#listener ??= this.#connect(this.#listenAddress ?? this.#address, 1);
    try {
      const subscription = await this.#listener.listen(channel, heard, again);
      return () => subscription.unlisten().catch(() => undefined);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Rejects everything that waits for the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    const listener = this.#listener?.close({ timeout: 1 }).catch(() => undefined);
    await Promise.all([...Object.values(this.#pools).map((pool) => pool.close()), listener]);
  }

  async #retried<T>(use: Use, work: (sql: SQL) => Promise<T>, { longest_ms, patience_ms }: Times): Promise<T> {
    const end = this.#clock.ticks() + patience_ms;
    for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS)) {
      try {
        return await this.#tried(use, work, longest_ms);
      } catch (error) {
        const late = this.#clock.ticks() + pause_ms > end;
        if (error instanceof Failure || this.#closing || late || !isConnectionLoss(error)) throw this.#failure(error);
      }
      await Bun.sleep(pause_ms);
    }
  }

  async #searching<T>(sql: Sql, work: (sql: Sql) => Promise<T>, signal: AbortSignal): Promise<T> {
    const [own] = await ask<{ pid: number; began: string }>(sql, BEGIN_SEARCH, [String(SEARCH_MS)]);
    const cancel = () =>
      void this.sign((other) => ask(other, CANCEL, [own?.pid ?? 0, own?.began ?? ""]), 0).catch(() => undefined);
    demandReader(signal);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await work(sql);
    } catch (error) {
      demandReader(signal);
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #tried<T>(use: Use, work: (sql: SQL) => Promise<T>, longest_ms: number): Promise<T> {
    const pool = this.#pools[use];
    const { sql } = pool;
    try {
      const result = await pool.tried(work, longest_ms);
      this.#reading.answered();
      if (use === "writes") this.#writing.answered();
      return result;
    } catch (error) {
      this.#lost(error, sql);
      throw error;
    }
  }

  /** Discards the connections. A server that has become a standby keeps its readers connected, so they must be closed, too. */
  #lost(error: unknown, sql: SQL): void {
    if (!isConnectionLoss(error)) return;
    for (const known of [this.#reading, this.#writing]) known.doubt();
    if (!isReadOnly(error) || this.#closing) return;
    const isStale = Object.values(this.#pools).some((pool) => pool.sql === sql);
    if (isStale) for (const pool of Object.values(this.#pools)) pool.replace();
  }

  #connect({ url, database }: DatabaseAddress, max: number): SQL {
    return new SQL({
      ...{ url, database, max },
      connectionTimeout: CONNECT_TIMEOUT_S,
      connection: { application_name: this.#application },
      // A pooler gives each transaction a connection that lacks the statements prepared by the last one.
      prepare: this.#listenAddress === undefined,
    });
  }

  #failure(error: unknown): Failure {
    return databaseFailure(error, this.#address);
  }
}

interface Times {
  /** Milliseconds after which a silent connection is given up. */
  readonly longest_ms: number;
  /** Milliseconds for which a lost connection is retried. */
  readonly patience_ms: number;
}

const BEGIN_SEARCH = `SELECT set_config('statement_timeout', $1, true), pg_backend_pid() AS pid, now()::text AS began`;

/** Cancels only this transaction, because the connection may run another by now. */
const CANCEL = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1::int AND xact_start::text = $2`;

/** Fails where writes are refused: on a standby, or in a database that was made read-only. */
const DEMAND_WRITABLE = "SELECT 1 / (current_setting('transaction_read_only') = 'off')::int";
