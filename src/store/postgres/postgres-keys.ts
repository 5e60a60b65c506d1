import { freeBefore, type HeldKey, type RequestKey, type RequestKeys } from "../request-keys.ts";
import { PATIENCE_MS, type PostgresDatabase } from "./connection.ts";
import type { Flusher } from "./flusher.ts";
import { ask, type Sql } from "./statement.ts";

export class PostgresKeys implements RequestKeys {
  readonly #database: PostgresDatabase;
  readonly #flusher: Flusher;

  constructor(database: PostgresDatabase, flusher: Flusher) {
    this.#database = database;
    this.#flusher = flusher;
  }

  async read({ key, at }: RequestKey): Promise<HeldKey | undefined> {
    const [held] = await this.#database.read((sql) => ask<HeldKey>(sql, READ, [key, freeBefore(at)]), PATIENCE_MS);
    return held;
  }

  async hold(asked: RequestKey, id: string): Promise<boolean> {
    return await this.#flusher.write(({ sql }) => beginOnce(sql, asked, id, async () => true));
  }

  async drop({ key }: RequestKey): Promise<void> {
    await this.#flusher.write(({ sql }) => ask(sql, DROP, [key]));
  }

  /** Forgets those that have been held for long enough. */
  async forget(at: string): Promise<void> {
    await this.#flusher.write(({ sql }) => ask(sql, FORGET, [freeBefore(at)]));
  }
}

/**
 * Does `begin` unless somebody holds the key, which is held when `begin` gives true. Two who ask at the same time wait for each
 * other here.
 */
export async function beginOnce(
  sql: Sql,
  asked: RequestKey | undefined,
  id: string,
  begin: () => Promise<boolean>,
): Promise<boolean> {
  if (asked === undefined) return await begin();
  const { key, request, at } = asked;
  if ((await ask(sql, HOLD, [key, request, id, at, freeBefore(at)])).count === 0) return false;
  const begun = await begin();
  if (!begun) await ask(sql, DROP, [key]);
  return begun;
}

const READ = "SELECT request, id FROM abeval.request_keys WHERE key = $1 AND at > $2";

const HOLD = `INSERT INTO abeval.request_keys AS held (key, request, id, at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (key) DO UPDATE SET request = excluded.request, id = excluded.id, at = excluded.at WHERE held.at <= $5`;

const DROP = "DELETE FROM abeval.request_keys WHERE key = $1";

const FORGET = "DELETE FROM abeval.request_keys WHERE at <= $1";
