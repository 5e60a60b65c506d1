import { exceedsLimit, type Ledger, type LedgerEntry, type Spending } from "../ledger.ts";
import type { Database } from "./database.ts";
import type { ProcessLease } from "./process-lease.ts";
import { guarded } from "./storage-failure.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Rows without an owner are spent; the others are set aside by a process that may have died. */
export class SqliteLedger implements Ledger {
  readonly #database: Database;
  readonly #batch: WriteBatch;
  readonly #lease: ProcessLease;
  readonly #subject: string;

  constructor(database: Database, batch: WriteBatch, lease: ProcessLease, subject: string) {
    this.#database = database;
    this.#batch = batch;
    this.#lease = lease;
    this.#subject = subject;
  }

  /** Read and written under one lock: no other process comes in between. */
  async reserve({ id, day, usd }: LedgerEntry, limit: number): Promise<Spending | undefined> {
    return await this.#batch.write(() => {
      if (exceedsLimit(this.#on(day), usd, limit)) this.settleDead();
      const spending = this.#on(day);
      if (exceedsLimit(spending, usd, limit)) return spending;
      this.#write(id, day, usd, this.#lease.id);
      return undefined;
    });
  }

  async settle({ id, day, usd }: LedgerEntry): Promise<void> {
    await this.#batch.write(() => this.#write(id, day, usd, null));
  }

  async on(day: string): Promise<Spending> {
    return guarded(this.#subject, () => this.#on(day));
  }

  /** The spending of a process that died is unknown: all that it set aside counts, on the day when it did so. */
  settleDead(): void {
    const rows = this.#database.query("SELECT DISTINCT owner FROM spending WHERE owner IS NOT NULL").values();
    for (const [owner] of rows as [string][])
      if (!this.#lease.isAlive(owner))
        this.#database.query("UPDATE spending SET owner = NULL WHERE owner = $owner").run({ owner });
  }

  #on(day: string): Spending {
    const sql = `SELECT coalesce(sum(usd) FILTER (WHERE owner IS NULL), 0) AS spent,
      coalesce(sum(usd) FILTER (WHERE owner IS NOT NULL), 0) AS reserved
      FROM spending WHERE day = $day OR owner IS NOT NULL`;
    return this.#database.query(sql).get({ day }) as Spending;
  }

  #write(id: string, day: string, usd: number, owner: string | null): void {
    const sql = `INSERT INTO spending (id, day, usd, owner) VALUES ($id, $day, $usd, $owner)
      ON CONFLICT (id) DO UPDATE SET day = $day, usd = $usd, owner = $owner`;
    this.#database.query(sql).run({ id, day, usd, owner });
  }
}
