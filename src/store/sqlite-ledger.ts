import type { Database } from "bun:sqlite";
import { exceeds, type Ledger, type LedgerEntry, type Spending } from "./ledger.ts";
import type { Owner } from "./owner.ts";
import { guarded } from "./storage-failure.ts";
import type { Turns } from "./turns.ts";

/** Rows without an owner are spent; the others are set aside by a process that may have died. */
export class SqliteLedger implements Ledger {
  readonly #database: Database;
  readonly #turns: Turns;
  readonly #owner: Owner;
  readonly #subject: string;

  constructor(database: Database, turns: Turns, owner: Owner, subject: string) {
    this.#database = database;
    this.#turns = turns;
    this.#owner = owner;
    this.#subject = subject;
  }

  /** Read and written under one lock: no other process comes in between. */
  reserve({ id, day, usd }: LedgerEntry, limit: number): Spending | undefined {
    this.#turns.begin();
    if (exceeds(this.on(day), usd, limit)) this.settleDead();
    const spending = this.on(day);
    if (exceeds(spending, usd, limit)) return spending;
    this.#write(id, day, usd, this.#owner.id);
    return undefined;
  }

  settle({ id, day, usd }: LedgerEntry): void {
    this.#write(id, day, usd, null);
  }

  on(day: string): Spending {
    const sql = `SELECT coalesce(sum(usd) FILTER (WHERE owner IS NULL), 0) AS spent,
      coalesce(sum(usd) FILTER (WHERE owner IS NOT NULL), 0) AS reserved
      FROM spending WHERE day = $day OR owner IS NOT NULL`;
    return guarded(this.#subject, () => this.#database.query(sql).get({ day }) as Spending);
  }

  /** Nobody knows what a process that died had come to: all that it set aside counts, on the day when it did so. */
  settleDead(): void {
    const rows = this.#database.query("SELECT DISTINCT owner FROM spending WHERE owner IS NOT NULL").values();
    for (const [owner] of rows as [string][])
      if (!this.#owner.isAlive(owner))
        this.#turns.write("UPDATE spending SET owner = NULL WHERE owner = $owner", { owner });
  }

  #write(id: string, day: string, usd: number, owner: string | null): void {
    this.#turns.write(
      `INSERT INTO spending (id, day, usd, owner) VALUES ($id, $day, $usd, $owner)
       ON CONFLICT (id) DO UPDATE SET day = $day, usd = $usd, owner = $owner`,
      { id, day, usd, owner },
    );
  }
}
