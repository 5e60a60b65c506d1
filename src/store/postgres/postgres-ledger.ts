import { exceedsLimit, type Ledger, type LedgerEntry, type Spending } from "../ledger.ts";
import type { PostgresDatabase } from "./connection.ts";
import { isAlive } from "./presence.ts";
import { ask, type Sql } from "./statement.ts";

/**
 * Rows without an owner, and those of dead processes, are spent; the others are set aside. Nobody knows what a process that
 * died had come to: all that it set aside counts, on the day when it did so.
 */
export class PostgresLedger implements Ledger {
  readonly #database: PostgresDatabase;
  readonly #me: string;

  constructor(database: PostgresDatabase, me: string) {
    this.#database = database;
    this.#me = me;
  }

  /** Read and written under one lock: no other process comes in between. */
  async reserve({ id, day, usd }: LedgerEntry, limit: number): Promise<Spending | undefined> {
    return await this.#database.transaction(async (sql) => {
      await ask(sql, "SELECT pg_advisory_xact_lock($1)", [LEDGER_LOCK]);
      // Its own row is left out: an earlier try may have stored it.
      const spending = await spendingOn(sql, day, id);
      if (exceedsLimit(spending, usd, limit)) return spending;
      await ask(sql, WRITE, [id, day, usd, this.#me]);
      return undefined;
    });
  }

  async settle({ id, day, usd }: LedgerEntry): Promise<void> {
    await this.#database.transaction((sql) => ask(sql, WRITE, [id, day, usd, null]));
  }

  async on(day: string): Promise<Spending> {
    return await this.#database.read((sql) => spendingOn(sql, day, ""));
  }
}

/** Derived from "abev"; one more than the lock of migrations. */
const LEDGER_LOCK = 0x61626577;

async function spendingOn(sql: Sql, day: string, except: string): Promise<Spending> {
  const [row] = await ask<Spending>(sql, SPENDING, [day, except]);
  return { spent: row?.spent ?? 0, reserved: row?.reserved ?? 0 };
}

const SPENDING = `SELECT coalesce(sum(usd) FILTER (WHERE NOT open AND day = $1), 0) AS spent,
    coalesce(sum(usd) FILTER (WHERE open), 0) AS reserved
  FROM (SELECT day, usd, owner IS NOT NULL AND ${isAlive("owner")} AS open FROM abeval.spending
    WHERE (day = $1 OR owner IS NOT NULL) AND id <> $2) AS entries`;

const WRITE = `INSERT INTO abeval.spending (id, day, usd, owner) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET day = excluded.day, usd = excluded.usd, owner = excluded.owner`;
