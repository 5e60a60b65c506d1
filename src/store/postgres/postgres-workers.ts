import type { Needs, WorkerRow, Workers } from "../shared-store.ts";
import { PATIENCE_MS, type PostgresDatabase } from "./connection.ts";
import { ask, type Sql } from "./statement.ts";

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
