import type { Needs, WorkerRow, Workers } from "../shared-store.ts";
import { PATIENCE_MS, type PostgresDatabase } from "./connection.ts";
import { ask, type Sql } from "./statement.ts";

/** Whether the process in this column is alive: it has shown itself within the lease that it promised. */
export const isAlive = (owner: string) => `EXISTS (SELECT FROM abeval.workers AS one
  WHERE one.worker_id = ${owner} AND one.seen > now() - make_interval(secs => one.lease_s))`;

/**
 * This process's row in `workers`, by which others know that it lives; kept fresh until it is disposed of.
 */
export class Presence implements AsyncDisposable {
  readonly id: string;
  readonly #database: PostgresDatabase;
  readonly #version: string;
  readonly #timer: ReturnType<typeof setInterval>;

  private constructor(database: PostgresDatabase, id: string, version: string) {
    this.id = id;
    this.#database = database;
    this.#version = version;
    this.#timer = setInterval(() => void this.#show().catch(() => undefined), database.lease_ms / 3).unref();
  }

  /** Rows of processes that died long ago go. @throws Failure */
  static async open(database: PostgresDatabase, id: string, version: string): Promise<Presence> {
    const presence = new Presence(database, id, version);
    await presence.#show();
    await database.sign((sql) => ask(sql, FORGET));
    return presence;
  }

  /**
   * Notes in a transaction that it is this process's one with this number. False when that has been committed before: it is
   * known, also while the server is still busy with it, since the row is locked so long.
   */
  async note(sql: Sql, number: number): Promise<boolean> {
    const { count } = await ask(sql, NOTE, [...this.#row(), number]);
    return count > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#database.sign((sql) => ask(sql, LEAVE, [this.id])).catch(() => undefined);
  }

  async #show(): Promise<void> {
    await this.#database.sign((sql) => ask(sql, SHOW, this.#row()));
  }

  #row() {
    return [this.id, this.#database.lease_ms / 1_000, this.#version] as const;
  }
}

const SHOW = `INSERT INTO abeval.workers (worker_id, seen, lease_s, version) VALUES ($1, now(), $2::int, $3)
  ON CONFLICT (worker_id) DO UPDATE SET seen = now()`;

const NOTE = `INSERT INTO abeval.workers (worker_id, seen, lease_s, version, flushed)
  VALUES ($1, now(), $2::int, $3, $4::bigint)
  ON CONFLICT (worker_id) DO UPDATE SET seen = now(), flushed = excluded.flushed
  WHERE workers.flushed < excluded.flushed`;

const FORGET = "DELETE FROM abeval.workers WHERE seen < now() - interval '1 day'";

const LEAVE = "DELETE FROM abeval.workers WHERE worker_id = $1";

type Announced = Parameters<Workers["announce"]>[0];

/** Adds what a process says of itself to the row by which others know that it lives. */
export class PostgresWorkers implements Workers, Disposable {
  readonly #database: PostgresDatabase;
  readonly #me: string;
  readonly #timer: ReturnType<typeof setInterval>;
  #announced: Announced | undefined;

  constructor(database: PostgresDatabase, me: string) {
    this.#database = database;
    this.#me = me;
    // How much runs changes; that it lives is said elsewhere.
    this.#timer = setInterval(() => void this.#tell().catch(() => undefined), database.lease_ms / 3).unref();
  }

  async announce(self: Announced): Promise<void> {
    this.#announced = self;
    await this.#tell();
  }

  async alive(): Promise<readonly WorkerRow[]> {
    await this.#tell(PATIENCE_MS);
    const alive = (sql: Sql) => ask<Omit<WorkerRow, "capabilities"> & { capabilities: string }>(sql, ALIVE);
    const rows = await this.#database.read(alive, PATIENCE_MS);
    return rows.map((row) => ({ ...row, capabilities: JSON.parse(row.capabilities) as Needs }));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #tell(patience_ms?: number): Promise<void> {
    if (this.#announced === undefined) return;
    const { slots, capabilities, running } = this.#announced;
    await this.#database.sign((sql) => ask(sql, TELL, [this.#me, slots, running(), capabilities]), patience_ms);
  }
}

const TELL = `UPDATE abeval.workers SET slots = $2::int, running = $3::int, capabilities = $4, seen = now()
  WHERE worker_id = $1`;

const ALIVE = `SELECT worker_id, version, slots, running, to_json(capabilities)::text AS capabilities,
    extract(epoch FROM now() - seen)::float8 AS seen_s
  FROM abeval.workers WHERE seen > now() - make_interval(secs => lease_s) ORDER BY worker_id`;
