import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Entropy } from "../../clock.ts";
import type { SelfTest } from "../../domain/self-test.ts";
import type { SeriesListing, SeriesListRequest } from "../../domain/series.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { isFinal, type SessionListing } from "../../domain/session.ts";
import type { AddedEntry, CreatedEntry, RunEntry } from "../../domain/session-entry.ts";
import type { SessionSummary, SessionSummaryRequest } from "../../domain/session-list.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { checkedFold, foldLog } from "../read-session.ts";
import type { SelfTestShelf } from "../self-test-shelf.ts";
import {
  type EntriesOfTrials,
  entriesGiven,
  type LoggedEntry,
  type Run,
  type Safety,
  type SessionQuery,
  type SessionStore,
  type TrialsOf,
} from "../store.ts";
import { Watchers } from "../watchers.ts";
import { type Database, openDatabase } from "./database.ts";
import { DiskSync } from "./disk-sync.ts";
import { JsonCopies, type WrittenCopy } from "./json-copies.ts";
import { readListings, summarizeListings } from "./listings.ts";
import { isInUse, ProcessLease } from "./process-lease.ts";
import { Retries } from "./retries.ts";
import { SeriesRows } from "./series-rows.ts";
import { SessionLogs } from "./session-logs.ts";
import { SessionRows } from "./session-rows.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { sqliteSelfTests } from "./sqlite-self-tests.ts";
import { SqliteSeries } from "./sqlite-series.ts";
import { guarded, isLoss, storageFailure } from "./storage-failure.ts";
import { endOf, type UnsavedEnd, UnsavedEnds } from "./unsaved-ends.ts";
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

/** Copies that a power cut may have torn are young: of so many ended sessions the copy is looked at when the store opens. */
const YOUNG_COPIES = 200;

class SqliteStore implements SessionStore {
  readonly persistent = true;
  readonly ledger: SqliteLedger;
  readonly #selfTests: SelfTestShelf;
  readonly #stateDir: string;
  readonly #database: Database;
  readonly #lease: ProcessLease;
  readonly #clock: Clock;
  readonly #rows: SessionRows;
  readonly #logs: SessionLogs;
  readonly #seriesRows: SeriesRows;
  readonly #series: SqliteSeries;
  readonly #copies: JsonCopies;
  readonly #disk: DiskSync;
  readonly #batch: WriteBatch;
  readonly #watchers = new Watchers();
  readonly #retries = new Retries();
  readonly #unsaved = new UnsavedEnds(this.#retries, (end) => this.#save(end));

  constructor(stateDir: string, database: Database, lease: ProcessLease, clock: Clock) {
    this.#stateDir = stateDir;
    this.#database = database;
    this.#lease = lease;
    this.#clock = clock;
    this.#rows = new SessionRows(database, lease);
    this.#logs = new SessionLogs(database, this.#unsaved);
    this.#copies = new JsonCopies(stateDir, lease, {
      justEnded: (session_id) => this.#logs.ended(session_id, foldLog),
      ended: (session_id) => this.#logs.ended(session_id, checkedFold),
      note: (copies) => this.#noteCopies(copies),
    });
    this.#disk = new DiskSync(join(stateDir, "sessions.db-wal"));
    this.#batch = new WriteBatch(database, stateDir);
    this.#selfTests = sqliteSelfTests(database, this.#batch, stateDir);
    this.#seriesRows = new SeriesRows(database, lease);
    this.#series = new SqliteSeries(this.#seriesRows, this.#batch, this.#retries, () => this.#synced());
    this.ledger = new SqliteLedger(database, this.#batch, lease, stateDir);
  }

  async create(entry: CreatedEntry): Promise<Run | undefined> {
    const { session_id, state } = entry.session;
    this.#retries.try();
    try {
      const created = await this.#batch.write(() => this.#rows.create(entry));
      if (!created) return undefined;
    } catch (error) {
      this.#rows.forget(session_id);
      throw error;
    }
    if (isFinal(state)) this.#end(session_id);
    return { session_id, attempt: 1 };
  }

  async append(run: Run, given: readonly RunEntry[] | EntriesOfTrials, safety: Safety): Promise<void> {
    const { session_id } = run;
    const entriesNow = () => entriesGiven(given, () => this.#logs.trialsBeside(session_id));
    let entries: readonly RunEntry[];
    this.#retries.try();
    try {
      entries = await this.#batch.write(() => this.#rows.append(run, entriesNow()));
    } catch (error) {
      this.#rows.forget(session_id);
      // Anew: it may have been taken back with trials that it was made of.
      if (isLoss(error)) this.#keepFailure({ run, entries: guarded(this.#stateDir, entriesNow) });
      throw error;
    }
    if (endOf(entries)) this.#end(session_id);
    try {
      if (safety === "durable") await this.#durable(session_id);
    } finally {
      this.#watchers.wake(session_id);
    }
  }

  async takeOver(session_id: string, at: string): Promise<Run | undefined> {
    const run = await this.#batch.write(() => {
      const next = this.#rows.takeOver(session_id);
      if (next) this.#rows.append(next, [{ type: "attempt_started", at }]);
      return next;
    });
    this.#watchers.wake(session_id);
    return run;
  }

  async add(session_ids: readonly string[], entry: AddedEntry): Promise<void> {
    const added = await this.#batch.write(() => session_ids.flatMap((id) => this.#rows.add(id, entry) ?? []));
    for (const { session_id, ended } of added) if (ended) this.#copies.start(session_id);
    await Promise.all(added.map(({ session_id }) => this.#durable(session_id)));
    for (const { session_id } of added) this.#watchers.wake(session_id);
  }

  async read(session_id: string, from = 0): Promise<readonly LoggedEntry[]> {
    return guarded(this.#stateDir, () => this.#logs.read(session_id, from));
  }

  async list(query: SessionQuery = {}): Promise<readonly SessionListing[]> {
    return guarded(this.#stateDir, () => readListings(this.#database, query));
  }

  async summarize(request: SessionSummaryRequest): Promise<SessionSummary> {
    return guarded(this.#stateDir, () => summarizeListings(this.#database, request));
  }

  async trials(of: TrialsOf): Promise<readonly TrialRow[]> {
    return guarded(this.#stateDir, () => this.#logs.trials(of));
  }

  createSeries(series: SeriesRecord): Promise<boolean> {
    return this.#series.create(series);
  }

  updateSeries(series: SeriesRecord): Promise<void> {
    return this.#series.update(series);
  }

  async takeSeries(series_id: string): Promise<SeriesRecord | undefined> {
    for (const session_id of await this.#batch.write(() => this.#interruptDead())) {
      this.#end(session_id);
      this.#watchers.wake(session_id);
    }
    return await this.#series.take(series_id);
  }

  async series(series_id: string): Promise<SeriesRecord | undefined> {
    return guarded(this.#stateDir, () => this.#series.read(series_id));
  }

  async listSeries(query: SeriesListRequest = {}): Promise<readonly SeriesListing[]> {
    return guarded(this.#stateDir, () => this.#series.list(query));
  }

  keepSelfTest(key: string, self_test: SelfTest): Promise<void> {
    return this.#selfTests.keepSelfTest(key, self_test);
  }

  selfTest(self_test_id: string): Promise<SelfTest | undefined> {
    return this.#selfTests.selfTest(self_test_id);
  }

  latestSelfTest(key: string): Promise<SelfTest | undefined> {
    return this.#selfTests.latestSelfTest(key);
  }

  watch(session_id: string, wake: () => void): () => void {
    return this.#watchers.watch(session_id, wake);
  }

  /** Ends what dead processes left running, writes copies that are missing, sweeps temporary files. */
  recover(): void {
    const settle = () => {
      this.#interruptDead();
      this.ledger.settleDead();
    };
    this.#database.transaction(settle).immediate();
    const { missing, written } = this.#rows.copies(YOUNG_COPIES);
    for (const session_id of missing) this.#copies.repair(session_id);
    // Up to 0.1.6 it was only noted that there is one.
    for (const [session_id, bytes] of written)
      if (!this.#copies.has(session_id, bytes === 1 ? null : bytes)) this.#copies.repair(session_id);
    this.#database.transaction(() => this.#lease.sweep()).immediate();
  }

  [Symbol.dispose](): void {
    this.#batch.flush();
    this.#retries.try();
    this.#retries[Symbol.dispose]();
    this.#copies.note();
    this.#disk[Symbol.dispose]();
    this.#database.close();
    this.#lease[Symbol.dispose]();
  }

  #end(session_id: string): void {
    this.#rows.forget(session_id);
    this.#copies.start(session_id);
  }

  async #durable(session_id: string): Promise<void> {
    await Promise.all([this.#synced(), this.#copies.done(session_id)]);
  }

  async #synced(): Promise<void> {
    await this.#disk.sync().catch((error: unknown) => {
      throw storageFailure(error, this.#stateDir);
    });
  }

  #interruptDead(): readonly string[] {
    const at = this.#clock.now().toISOString();
    this.#seriesRows.interruptDead(at);
    return this.#rows.interruptDead(at);
  }

  #keepFailure(end: UnsavedEnd): void {
    if (!endOf(end.entries)?.failure) return;
    this.#unsaved.keep(end);
    this.#watchers.wake(end.run.session_id);
  }

  /** In a batch of its own, so that its failure is nobody else's. @throws Failure `storage_full` or `storage_failed` */
  #save({ run, entries }: UnsavedEnd): void {
    try {
      this.#batch.now(() => this.#rows.append(run, entries));
    } catch (error) {
      this.#rows.forget(run.session_id);
      if (isLoss(error)) throw error;
      // Another process has ended it in the meantime.
    }
    this.#end(run.session_id);
  }

  /** In a batch of its own: nobody's session may fail because this does not fit any more. */
  #noteCopies(copies: readonly WrittenCopy[]): void {
    const note = () => {
      for (const copy of copies) this.#rows.noteCopy(copy);
    };
    try {
      this.#database.transaction(note).immediate();
    } catch {
      // They are copied again by whoever starts next.
    }
  }
}
