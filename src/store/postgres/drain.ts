import type { Clock } from "../../runtime/clock.ts";
import { type Drain, drained } from "../shared-store.ts";
import { PATIENCE_MS, type PostgresDatabase } from "./connection.ts";
import { isAlive } from "./presence.ts";
import { ask, type Sql } from "./statement.ts";

/** Whether work may be taken. An offer asks in its own transaction; a claim that looked a moment ago may still take some. */
export const IS_TAKEN = "NOT EXISTS (SELECT FROM abeval.settings WHERE name = 'drained_since')";

/** @throws Failure `overloaded` while the database is drained */
export async function demandTaking(sql: Sql): Promise<void> {
  const since = await sinceIn(sql);
  if (since !== undefined) throw drained(since);
}

/** Milliseconds for which an answer counts, however often it is asked for. */
const FRESH_MS = 1_000;

/** A row stops all processes on a database from taking work, those that start later, too. */
export class PostgresDrain implements Drain {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  #at = Number.NEGATIVE_INFINITY;
  #found: Promise<string | undefined> = Promise.resolve(undefined);

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  since(): Promise<string | undefined> {
    const now = this.#clock.ticks();
    if (now - this.#at < FRESH_MS) return this.#found;
    this.#at = now;
    const before = this.#found;
    this.#found = this.#database.read(sinceIn, PATIENCE_MS).catch(() => before);
    return this.#found;
  }

  async begin(at: string): Promise<string> {
    await this.#database.write((sql) => ask(sql, BEGIN, [at]));
    return (await this.#database.read(sinceIn)) ?? at;
  }

  async end(): Promise<void> {
    await this.#database.write((sql) => ask(sql, END));
  }

  async running(): Promise<number> {
    const [row] = await this.#database.read((sql) => ask<{ running: number }>(sql, RUNNING));
    return row?.running ?? 0;
  }
}

async function sinceIn(sql: Sql): Promise<string | undefined> {
  const [row] = await ask<{ value: string }>(sql, SINCE);
  return row?.value;
}

const SINCE = "SELECT value FROM abeval.settings WHERE name = 'drained_since'";

const BEGIN = "INSERT INTO abeval.settings (name, value) VALUES ('drained_since', $1) ON CONFLICT DO NOTHING";

/** Whoever waits for work is woken. */
const END =
  "WITH gone AS (DELETE FROM abeval.settings WHERE name = 'drained_since') SELECT pg_notify('abeval_work', '')";

const RUNNING = `SELECT
  (SELECT count(*) FROM abeval.sessions WHERE NOT ended AND NOT queued AND ${isAlive("owner")})::int
  + (SELECT count(*) FROM abeval_queue.job WHERE state = 'active' AND name LIKE 'session-%')::int AS running`;
