import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import type { Pruning } from "../pruning.ts";
import type { SelfTestStore } from "../self-test-store.ts";
import type { SessionStore } from "../store.ts";
import { openDatabase, waitForLocks } from "./database.ts";
import { isInUse, ProcessLease } from "./process-lease.ts";
import { SeriesRows } from "./series-rows.ts";
import type { Written } from "./session-rows.ts";
import { addMissingTexts } from "./session-texts.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { sqlitePruning } from "./sqlite-pruning.ts";
import { sqliteSelfTests } from "./sqlite-self-tests.ts";
import { SqliteSeries } from "./sqlite-series.ts";
import { type SqliteParts, SqliteSessions } from "./sqlite-sessions.ts";
import { guarded } from "./storage-failure.ts";

/**
 * The layout of spec part 2 under `stateDir`. Several processes may share one directory; one process opens it once.
 * Sessions and series that a dead process left running end here as `interrupted`.
 * @throws Failure `storage_failed` or `storage_full`; then nothing that was there has changed.
 */
export function sqliteStore(stateDir: string, clock: Clock, entropy: Entropy): SessionStore {
  return guarded(stateDir, () => {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const database = openDatabase(join(stateDir, "sessions.db"), () => isInUse(stateDir));
    // Under the write lock, as the sweep is: a lock file that is not locked yet must not look like a dead process's.
    const lease = database.transaction(() => new ProcessLease(stateDir, entropy(8))).immediate();
    const store = new SqliteStore({ stateDir, database, lease, clock });
    try {
      store.recover();
      waitForLocks(database, "beside others");
      return store;
    } catch (error) {
      store[Symbol.dispose]();
      throw error;
    }
  });
}

class SqliteStore extends SqliteSessions implements SessionStore {
  readonly persistent = true;
  readonly ledger: SqliteLedger;
  readonly series: SqliteSeries;
  readonly self_tests: SelfTestStore;
  readonly pruning: Pruning;
  readonly #parts: SqliteParts;
  readonly #seriesRows: SeriesRows;
  readonly #closing = new AbortController();

  constructor(parts: SqliteParts) {
    super(parts);
    const { stateDir, database, lease } = parts;
    this.#parts = parts;
    this.self_tests = sqliteSelfTests(database, this.batch, stateDir);
    this.pruning = sqlitePruning(stateDir, database);
    this.ledger = new SqliteLedger(database, this.batch, lease, stateDir);
    this.#seriesRows = new SeriesRows(database, lease);
    this.series = new SqliteSeries({
      rows: this.#seriesRows,
      keys: this.request_keys,
      batch: this.batch,
      stateDir,
      synced: () => this.synced(),
      settle: async () => this.interrupted(await this.batch.write(() => this.#settleDead())),
    });
  }

  /** Ends what dead processes left running, writes copies that are missing, sweeps temporary files. */
  recover(): void {
    const { database, lease } = this.#parts;
    const settle = () => {
      this.#settleDead();
      this.ledger.settleDead();
    };
    database.transaction(settle).immediate();
    this.repairCopies();
    database.transaction(() => lease.sweep()).immediate();
    // Searches are right without it, and slower; figures that an earlier version did not list are unknown until then.
    void addMissingTexts(database, this.#closing.signal).catch(() => undefined);
    void this.relist(this.#closing.signal).catch(() => undefined);
  }

  override [Symbol.dispose](): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    waitForLocks(this.#parts.database, "alone");
    this.batch.flush(true);
    this.series[Symbol.dispose]();
    super[Symbol.dispose]();
    this.#parts.database.close();
    this.#parts.lease[Symbol.dispose]();
  }

  #settleDead(): readonly Written[] {
    const at = this.#parts.clock.now().toISOString();
    this.#seriesRows.interruptDead(at);
    return this.interruptDead(at);
  }
}
