import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionListing, SessionOutcome } from "../../domain/session.ts";
import type { AddedEntry, CreatedEntry, RunEntry } from "../../domain/session-entry.ts";
import type { SessionSummary, SessionSummaryRequest } from "../../domain/session-list.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import type { SelfTestStore } from "../self-test-store.ts";
import type { EntriesOfTrials, LoggedEntry, Run, Safety, SessionQuery, SessionStore, TrialsOf } from "../store.ts";
import { type Database, openDatabase } from "./database.ts";
import { DiskSync } from "./disk-sync.ts";
import { readListings, summarizeListings } from "./listings.ts";
import { isInUse, ProcessLease } from "./process-lease.ts";
import { Retries } from "./retries.ts";
import { SeriesRows } from "./series-rows.ts";
import type { Written } from "./session-rows.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { sqliteSelfTests } from "./sqlite-self-tests.ts";
import { SqliteSeries } from "./sqlite-series.ts";
import { SqliteSessions } from "./sqlite-sessions.ts";
import { guarded, storageFailure } from "./storage-failure.ts";
import { WriteBatch } from "./write-batch.ts";

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
    const store = new SqliteStore(stateDir, database, lease, clock);
    try {
      store.recover();
      return store;
    } catch (error) {
      store[Symbol.dispose]();
      throw error;
    }
  });
}

class SqliteStore implements SessionStore {
  readonly persistent = true;
  readonly ledger: SqliteLedger;
  readonly series: SqliteSeries;
  readonly self_tests: SelfTestStore;
  readonly #stateDir: string;
  readonly #database: Database;
  readonly #lease: ProcessLease;
  readonly #clock: Clock;
  readonly #batch: WriteBatch;
  readonly #disk: DiskSync;
  readonly #retries = new Retries();
  readonly #sessions: SqliteSessions;
  readonly #seriesRows: SeriesRows;

  constructor(stateDir: string, database: Database, lease: ProcessLease, clock: Clock) {
    this.#stateDir = stateDir;
    this.#database = database;
    this.#lease = lease;
    this.#clock = clock;
    this.#batch = new WriteBatch(database, stateDir, () => this.#sessions.takenBack());
    this.#disk = new DiskSync(join(stateDir, "sessions.db-wal"));
    const [batch, retries, synced] = [this.#batch, this.#retries, () => this.#synced()];
    this.#sessions = new SqliteSessions({ stateDir, database, lease, batch, retries, synced });
    this.self_tests = sqliteSelfTests(database, batch, stateDir);
    this.#seriesRows = new SeriesRows(database, lease);
    const settle = async () => this.#sessions.ended(await batch.write(() => this.#interruptDead()));
    this.series = new SqliteSeries({ rows: this.#seriesRows, batch, retries, stateDir, synced, settle });
    this.ledger = new SqliteLedger(database, batch, lease, stateDir);
  }

  create(entry: CreatedEntry): Promise<Run | undefined> {
    return this.#sessions.create(entry);
  }

  append(run: Run, given: readonly RunEntry[] | EntriesOfTrials, safety: Safety): Promise<SessionOutcome | undefined> {
    return this.#sessions.append(run, given, safety);
  }

  takeOver(session_id: string, at: string): Promise<Run | undefined> {
    return this.#sessions.takeOver(session_id, at);
  }

  add(session_ids: readonly string[], entry: AddedEntry): Promise<void> {
    return this.#sessions.add(session_ids, entry);
  }

  async read(session_id: string, from = 0): Promise<readonly LoggedEntry[]> {
    return guarded(this.#stateDir, () => this.#sessions.read(session_id, from));
  }

  async list(query: SessionQuery = {}): Promise<readonly SessionListing[]> {
    return guarded(this.#stateDir, () => readListings(this.#database, query));
  }

  async summarize(request: SessionSummaryRequest): Promise<SessionSummary> {
    return guarded(this.#stateDir, () => summarizeListings(this.#database, request));
  }

  async trials(of: TrialsOf): Promise<readonly TrialRow[]> {
    return guarded(this.#stateDir, () => this.#sessions.trials(of));
  }

  watch(session_id: string, wake: () => void): () => void {
    return this.#sessions.watch(session_id, wake);
  }

  /** Ends what dead processes left running, writes copies that are missing, sweeps temporary files. */
  recover(): void {
    const settle = () => {
      this.#interruptDead();
      this.ledger.settleDead();
    };
    this.#database.transaction(settle).immediate();
    this.#sessions.repairCopies();
    this.#database.transaction(() => this.#lease.sweep()).immediate();
  }

  [Symbol.dispose](): void {
    this.#batch.flush();
    this.#retries.try();
    this.#retries[Symbol.dispose]();
    this.#sessions.noteCopies();
    this.#disk[Symbol.dispose]();
    this.#database.close();
    this.#lease[Symbol.dispose]();
  }

  async #synced(): Promise<void> {
    await this.#disk.sync().catch((error: unknown) => {
      throw storageFailure(error, this.#stateDir);
    });
  }

  #interruptDead(): readonly Written[] {
    const at = this.#clock.now().toISOString();
    this.#seriesRows.interruptDead(at);
    return this.#sessions.interruptDead(at);
  }
}
