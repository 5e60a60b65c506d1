import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import { type Ledger, sqlLedger } from "../ledger.ts";
import type { Pruning } from "../pruning.ts";
import { type SelfTestStore, sqlSelfTests } from "../self-test-store.ts";
import { query, type SqlSteps } from "../sql.ts";
import type { HearLost, SessionStore } from "../store.ts";
import { openDatabase, runSteps, waitForLocks } from "./database.ts";
import { isInUse, ProcessLease } from "./process-lease.ts";
import type { Dead } from "./session-rows.ts";
import { addMissingTexts } from "./session-texts.ts";
import { sqlitePruning } from "./sqlite-pruning.ts";
import { interruptDeadSeries, SqliteSeries } from "./sqlite-series.ts";
import { type SqliteParts, SqliteSessions } from "./sqlite-sessions.ts";
import { guarded } from "./storage-failure.ts";

/** What is known of the processes that had the store open before. */
interface Before {
  /** The process whose runs begin again here. */
  readonly after?: string | undefined;
  readonly lost?: HearLost | undefined;
}

/**
 * The layout of spec part 2 under `stateDir`. Several processes may share one directory; one process opens it once.
 * Sessions and series that a dead process left running end here as `interrupted`, but runs of `after` that lost no attempt before.
 * @throws Failure `storage_failed` or `storage_full`; then nothing that was there has changed.
 */
export function sqliteStore(
  stateDir: string,
  clock: Clock,
  entropy: Entropy,
  { after, lost = () => undefined }: Before = {},
): SessionStore {
  return guarded(stateDir, () => {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const database = openDatabase(join(stateDir, "sessions.db"), () => isInUse(stateDir));
    // Under the write lock, as the sweep is: a lock file that is not locked yet must not look like a dead process's.
    const lease = database.transaction(() => new ProcessLease(stateDir, entropy(8))).immediate();
    const store = new SqliteStore({ stateDir, database, lease, clock, after, lost });
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
  readonly ledger: Ledger;
  readonly series: SqliteSeries;
  readonly self_tests: SelfTestStore;
  readonly pruning: Pruning;
  readonly #parts: SqliteParts;
  readonly #closing = new AbortController();

  constructor(parts: SqliteParts) {
    super(parts);
    const { stateDir, database, lease } = parts;
    this.#parts = parts;
    this.self_tests = sqlSelfTests(this.driver);
    this.pruning = sqlitePruning(stateDir, database);
    this.ledger = sqlLedger(this.driver, {
      me: lease.id,
      is_open: "TRUE",
      settleDead: () => settleSpending(lease),
    });
    this.series = new SqliteSeries({
      ...{ database, lease, stateDir, batch: this.batch },
      synced: () => this.synced(),
      settle: async () => this.interrupted(await this.batch.write(() => this.#settleDead())),
    });
  }

  /** Ends what dead processes left running, writes copies that are missing, sweeps temporary files. */
  recover(): void {
    const { database, lease } = this.#parts;
    const settle = () => {
      const dead = this.#settleDead();
      runSteps(database, settleSpending(lease));
      return dead;
    };
    for (const { lost } of database.transaction(settle).immediate()) if (lost) this.#parts.lost(lost);
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

  #settleDead(): readonly Dead[] {
    const at = this.#parts.clock.now().toISOString();
    interruptDeadSeries(this.#parts.database, this.#parts.lease, at);
    return this.interruptDead(at);
  }
}

/** What dead processes set aside counts as spent. */
function* settleSpending(lease: ProcessLease): SqlSteps<void> {
  const rows = yield* query<{ owner: string }>("SELECT DISTINCT owner FROM @spending WHERE owner IS NOT NULL");
  for (const { owner } of rows)
    if (!lease.isAlive(owner)) yield* query("UPDATE @spending SET owner = NULL WHERE owner = $owner", { owner });
}
