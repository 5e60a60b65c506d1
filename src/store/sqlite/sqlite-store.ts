import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Entropy } from "../../clock.ts";
import { Failure } from "../../domain/failure.ts";
import type { SelfTest } from "../../domain/self-test.ts";
import { isFinal, type SessionListing } from "../../domain/session.ts";
import type { CreatedEntry, RunEntry, SessionEntry } from "../../domain/session-entry.ts";
import { checkedFold, foldLog } from "../read-session.ts";
import { memorySelfTests, type SelfTestShelf } from "../self-test-shelf.ts";
import type { LoggedEntry, Run, Safety, SessionQuery, SessionStore } from "../store.ts";
import { Watchers } from "../watchers.ts";
import { type Database, hasTable, openDatabase } from "./database.ts";
import { DiskSync } from "./disk-sync.ts";
import { type Ended, JsonCopies, type WrittenCopy } from "./json-copies.ts";
import { readListings } from "./listings.ts";
import { isInUse, ProcessLease } from "./process-lease.ts";
import { SessionRows } from "./session-rows.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { SqliteSelfTests } from "./sqlite-self-tests.ts";
import { guarded, storageFailure } from "./storage-failure.ts";
import { WriteBatch } from "./write-batch.ts";

/**
 * The layout of spec part 2 under `stateDir`. Several processes may share one directory; one process opens it once.
 * Sessions that a dead process left running end here as `interrupted`.
 * @throws Failure `storage_failed` or `storage_full`; then nothing that was there has changed.
 */
export function sqliteStore(stateDir: string, clock: Clock, entropy: Entropy): SessionStore {
  return guarded(stateDir, () => {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const database = openDatabase(join(stateDir, "sessions.db"), () => isInUse(stateDir));
    // Under the write lock, as the sweep is: a lock file that is not locked yet must not look like a dead process's.
    const lease = database.transaction(() => new ProcessLease(stateDir, entropy(8))).immediate();
    const store = new SqliteStore(stateDir, database, lease);
    try {
      store.recover(clock.now().toISOString());
      return store;
    } catch (error) {
      store[Symbol.dispose]();
      throw error;
    }
  });
}

/** An end that could not be stored. */
interface Unsaved {
  readonly run: Run;
  readonly entries: readonly RunEntry[];
}

/** Until the database has a table of them. */
const KEPT_SELF_TESTS = 200;

/** How often an end that did not fit is tried again. */
const RETRY_MS = 1_000;

/** Copies that a power cut may have torn are young: of so many ended sessions the copy is looked at when the store opens. */
const YOUNG_COPIES = 200;

class SqliteStore implements SessionStore {
  readonly persistent = true;
  readonly ledger: SqliteLedger;
  readonly #self_tests: SelfTestShelf;
  readonly #stateDir: string;
  readonly #database: Database;
  readonly #lease: ProcessLease;
  readonly #rows: SessionRows;
  readonly #copies: JsonCopies;
  readonly #disk: DiskSync;
  readonly #batch: WriteBatch;
  readonly #watchers = new Watchers();
  readonly #unsaved = new Map<string, Unsaved>();
  #retry: ReturnType<typeof setInterval> | undefined;

  constructor(stateDir: string, database: Database, lease: ProcessLease) {
    this.#stateDir = stateDir;
    this.#database = database;
    this.#lease = lease;
    this.#rows = new SessionRows(database, lease);
    this.#copies = new JsonCopies(stateDir, lease, {
      justEnded: (session_id) => this.#ended(session_id, foldLog),
      ended: (session_id) => this.#ended(session_id, checkedFold),
      note: (copies) => this.#noteCopies(copies),
    });
    this.#disk = new DiskSync(join(stateDir, "sessions.db-wal"));
    this.#batch = new WriteBatch(database, stateDir);
    this.ledger = new SqliteLedger(database, this.#batch, lease, stateDir);
    this.#self_tests = hasTable(database, "self_tests")
      ? new SqliteSelfTests(database, this.#batch, stateDir)
      : memorySelfTests(KEPT_SELF_TESTS);
  }

  async create(entry: CreatedEntry): Promise<Run | undefined> {
    const { session_id, state } = entry.session;
    this.#saveUnsaved();
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

  async append(run: Run, entries: readonly RunEntry[], safety: Safety): Promise<void> {
    const { session_id } = run;
    const end = entries.find((entry) => entry.type === "ended");
    this.#saveUnsaved();
    try {
      await this.#batch.write(() => this.#rows.append(run, entries));
    } catch (error) {
      this.#rows.forget(session_id);
      if (end?.failure && isLoss(error)) this.#keep({ run, entries });
      throw error;
    }
    if (end) this.#end(session_id);
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

  async add(session_ids: readonly string[], entry: SessionEntry): Promise<void> {
    const added = await this.#batch.write(() => session_ids.flatMap((id) => this.#rows.add(id, entry) ?? []));
    for (const { session_id, ended } of added) if (ended) this.#copies.start(session_id);
    await Promise.all(added.map(({ session_id }) => this.#durable(session_id)));
    for (const { session_id } of added) this.#watchers.wake(session_id);
  }

  async read(session_id: string, from = 0): Promise<readonly LoggedEntry[]> {
    return guarded(this.#stateDir, () => {
      const entries = this.#entries(session_id, from);
      const unsaved = this.#unsaved.get(session_id);
      return unsaved ? [...entries, ...this.#placed(unsaved, from)] : entries;
    });
  }

  async list(query: SessionQuery = {}): Promise<readonly SessionListing[]> {
    return guarded(this.#stateDir, () => readListings(this.#database, query));
  }

  keepSelfTest(key: string, self_test: SelfTest): Promise<void> {
    return this.#self_tests.keepSelfTest(key, self_test);
  }

  selfTest(self_test_id: string): Promise<SelfTest | undefined> {
    return this.#self_tests.selfTest(self_test_id);
  }

  latestSelfTest(key: string): Promise<SelfTest | undefined> {
    return this.#self_tests.latestSelfTest(key);
  }

  watch(session_id: string, wake: () => void): () => void {
    return this.#watchers.watch(session_id, wake);
  }

  /** Ends what dead processes left running, writes copies that are missing, sweeps temporary files. */
  recover(at: string): void {
    const settle = () => {
      this.#rows.interruptDead(at);
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
    this.#saveUnsaved();
    clearInterval(this.#retry);
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
    const synced = this.#disk.sync().catch((error: unknown) => {
      throw storageFailure(error, this.#stateDir);
    });
    await Promise.all([synced, this.#copies.done(session_id)]);
  }

  #entries(session_id: string, from: number): LoggedEntry[] {
    const rows = this.#database.query(ENTRIES).values({ session_id, from }) as [number, number, string][];
    return rows.map(([n, attempt, entry]) => ({ n, attempt, entry: JSON.parse(entry) }));
  }

  #keep(unsaved: Unsaved): void {
    const { session_id } = unsaved.run;
    this.#unsaved.set(session_id, unsaved);
    this.#retry ??= setInterval(() => this.#saveUnsaved(), RETRY_MS).unref();
    this.#watchers.wake(session_id);
  }

  /** Behind what is stored, as it will be. */
  #placed({ run: { session_id, attempt }, entries }: Unsaved, from: number): LoggedEntry[] {
    const [[last]] = this.#database.query(LENGTH).values({ session_id }) as [[number]];
    return entries.map((entry, index) => ({ n: last + index + 1, attempt, entry })).filter(({ n }) => n > from);
  }

  /** In a batch of its own, so that its failure is nobody else's. While that still fails, it is tried again. */
  #saveUnsaved(): void {
    for (const [session_id, unsaved] of this.#unsaved) {
      const { run, entries } = unsaved;
      this.#unsaved.delete(session_id);
      try {
        guarded(this.#stateDir, () => this.#database.transaction(() => this.#rows.append(run, entries)).immediate());
      } catch (error) {
        this.#rows.forget(session_id);
        // The next try begins with another: one that never fits keeps none from being stored, and no try takes long.
        if (isLoss(error)) return void this.#unsaved.set(session_id, unsaved);
        // Another process has ended it in the meantime.
      }
      this.#end(session_id);
    }
    clearInterval(this.#retry);
    this.#retry = undefined;
  }

  #ended(session_id: string, foldOf: typeof foldLog): Ended | undefined {
    const log = this.#entries(session_id, 0);
    const outcome = foldOf(log);
    // A row of the database may bear any name, and the copy's path is made of it.
    if (outcome?.session_id !== session_id || !isFinal(outcome.state)) return undefined;
    return { outcome, entries: log.length };
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

const isLoss = (error: unknown) =>
  error instanceof Failure && (error.code === "storage_full" || error.code === "storage_failed");

const ENTRIES = "SELECT n, attempt, entry FROM entries WHERE session_id = $session_id AND n > $from ORDER BY n";

const LENGTH = "SELECT coalesce(max(n), 0) FROM entries WHERE session_id = $session_id";
