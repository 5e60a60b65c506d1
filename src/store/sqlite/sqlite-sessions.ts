import { join } from "node:path";
import type { TrialWork } from "../../domain/cell.ts";
import { Failure } from "../../domain/failure.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { AddedEntry, CreatedEntry, RunEntry } from "../../domain/session-entry.ts";
import type {
  SessionListing,
  SessionListRequest,
  SessionSummary,
  SessionSummaryRequest,
} from "../../domain/session-list.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Clock } from "../../runtime/clock.ts";
import { breathe } from "../../runtime/pace.ts";
import { foldLog } from "../read-session.ts";
import { type RequestKey, SqlKeys } from "../request-keys.ts";
import { endsWithFailure, readWork, relistAll, type UnsavedEnd } from "../session-row.ts";
import type { SqlDriver } from "../sql.ts";
import {
  type EntriesOfTrials,
  type Estate,
  entriesGiven,
  type HearLost,
  isLoss,
  type LoggedEntry,
  type Run,
  type Safety,
  type TrialsOf,
} from "../store.ts";
import { Watchers } from "../watchers.ts";
import type { Database } from "./database.ts";
import { DiskSync } from "./disk-sync.ts";
import { JsonCopies, type WrittenCopy } from "./json-copies.ts";
import { readListings, summarizeListings } from "./page-sessions.ts";
import type { ProcessLease } from "./process-lease.ts";
import { Retries } from "./retries.ts";
import { SessionLogs } from "./session-logs.ts";
import { type Dead, SessionRows, type Written } from "./session-rows.ts";
import { guarded, guardedWhile, storageFailure } from "./storage-failure.ts";
import { beginOnce, sqliteDriver, WriteBatch } from "./write-batch.ts";

/** Copies that a power cut may have torn are young: of so many ended sessions the copy is looked at when the store opens. */
const YOUNG_COPIES = 200;

export interface SqliteParts {
  readonly stateDir: string;
  readonly database: Database;
  readonly lease: ProcessLease;
  readonly clock: Clock;
  readonly after: string | undefined;
  readonly lost: HearLost;
}

/** Sessions as rows, with the JSON copies of those that ended. Its methods promise what those of `SessionStore` do. */
export class SqliteSessions implements Disposable {
  readonly request_keys: SqlKeys;
  readonly estate: Estate;
  protected readonly batch: WriteBatch;
  protected readonly driver: SqlDriver;
  readonly #parts: SqliteParts;
  readonly #disk: DiskSync;
  readonly #rows: SessionRows;
  readonly #logs: SessionLogs;
  readonly #copies: JsonCopies;
  readonly #watchers = new Watchers();
  readonly #unsaved = new Retries<UnsavedEnd>((end) => this.#save(end));

  constructor(parts: SqliteParts) {
    const { stateDir, database, lease, clock, after } = parts;
    this.#parts = parts;
    this.batch = new WriteBatch(
      database,
      clock,
      stateDir,
      () => this.#rows.forget(),
      () => this.demandPlace(),
    );
    this.driver = sqliteDriver(database, this.batch, stateDir);
    this.request_keys = new SqlKeys(this.driver, false);
    this.#disk = new DiskSync(join(stateDir, "sessions.db-wal"));
    this.#rows = new SessionRows(database, lease, after);
    this.estate = { owner: lease.id, runs: this.#rows.inherited };
    this.#logs = new SessionLogs(database, this.#unsaved);
    this.#copies = new JsonCopies(stateDir, lease, {
      ended: (session_id) => this.#logs.ended(session_id),
      note: (copies) => this.#noteCopies(copies),
    });
  }

  async create(entry: CreatedEntry, key?: RequestKey): Promise<Run | undefined> {
    this.#unsaved.try();
    const create = () => this.#rows.create(entry);
    const once = () => beginOnce(this.#parts.database, key, entry.session.session_id, create);
    const created = await this.batch.write(once);
    if (created) this.#copyEnded(created);
    return created && { session_id: created.session_id, attempt: 1 };
  }

  async append(
    run: Run,
    given: readonly RunEntry[] | EntriesOfTrials,
    safety: Safety,
  ): Promise<SessionOutcome | undefined> {
    const { session_id } = run;
    const entriesNow = () => entriesGiven(given, () => this.#logs.trialsBeside(session_id));
    this.#unsaved.try();
    let written: Written;
    try {
      written = await this.batch.write(() => this.#rows.append(run, entriesNow()));
      this.#copyEnded(written);
    } catch (error) {
      // Anew: it may have been taken back with trials that it was made of.
      if (isLoss(error)) this.#keepFailure({ run, entries: guarded(this.#parts.stateDir, entriesNow) });
      throw error;
    }
    try {
      if (safety === "durable") await this.#durable(session_id);
    } finally {
      this.#watchers.wake(session_id);
    }
    return written.ended?.outcome;
  }

  async takeOver(session_id: string, at: string): Promise<Run | undefined> {
    const run = await this.batch.write(() => {
      const next = this.#rows.takeOver(session_id);
      if (next) this.#rows.append(next, [{ type: "attempt_started", at }]);
      return next;
    });
    this.#watchers.wake(session_id);
    return run;
  }

  async add(session_ids: readonly string[], entry: AddedEntry): Promise<void> {
    const added = await this.batch.write(() => session_ids.flatMap((id) => this.#rows.add(id, entry) ?? []));
    for (const written of added) this.#copyEnded(written);
    await Promise.all(added.map(({ session_id }) => this.#durable(session_id)));
    for (const { session_id } of added) this.#watchers.wake(session_id);
  }

  async read(session_id: string, from = 0): Promise<readonly LoggedEntry[]> {
    return guarded(this.#parts.stateDir, () => this.#logs.read(session_id, from));
  }

  async list(query: SessionListRequest = {}, signal?: AbortSignal): Promise<readonly SessionListing[]> {
    return await guardedWhile(this.#parts.stateDir, () => readListings(this.#parts.database, query, signal));
  }

  async summarize(request: SessionSummaryRequest, signal?: AbortSignal): Promise<SessionSummary> {
    return await guardedWhile(this.#parts.stateDir, () => summarizeListings(this.#parts.database, request, signal));
  }

  async trials(of: TrialsOf): Promise<readonly TrialRow[]> {
    return await guardedWhile(this.#parts.stateDir, async () => {
      const rows: TrialRow[] = [];
      for (const page of this.#logs.trials(of)) {
        if (rows.length > 0) await breathe();
        rows.push(...page);
      }
      return rows;
    });
  }

  work(session_ids: readonly string[]): Promise<ReadonlyMap<string, TrialWork>> {
    const read = async (session_id: string) => foldLog(await this.read(session_id));
    return readWork(this.driver, { among: "IN (SELECT value FROM json_each($ids))", read }, session_ids);
  }

  demandPlace(): void {
    if (!this.#disk.removed) return;
    const why = "its state directory was removed while this server uses it: start the server again";
    throw new Failure("storage_failed", `${this.#parts.stateDir}: ${why}`, { retryable: true, details: { why } });
  }

  watch(session_id: string, wake: () => void): () => void {
    return this.#watchers.watch(session_id, wake);
  }

  [Symbol.dispose](): void {
    this.#unsaved.try();
    this.#unsaved[Symbol.dispose]();
    this.#copies.note();
    this.#disk[Symbol.dispose]();
  }

  /** Ends what dead processes left running, within a transaction. What it gives is for `interrupted` after it. */
  protected interruptDead(at: string): readonly Dead[] {
    return this.#rows.interruptDead(at);
  }

  protected interrupted(sessions: readonly Dead[]): void {
    for (const written of sessions) {
      this.#copyEnded(written);
      if (written.lost) this.#parts.lost(written.lost);
      this.#watchers.wake(written.session_id);
    }
  }

  protected async relist(signal: AbortSignal): Promise<void> {
    await relistAll(
      this.#rows.staleRows((work) => this.batch.write(work)),
      signal,
    );
  }

  /** Writes copies that are missing or torn. */
  protected repairCopies(): void {
    const { missing, written } = this.#rows.copies(YOUNG_COPIES);
    for (const session_id of missing) this.#copies.repair(session_id);
    // Up to 0.1.6 it was only noted that there is one.
    for (const [session_id, bytes] of written)
      if (!this.#copies.has(session_id, bytes === 1 ? null : bytes)) this.#copies.repair(session_id);
  }

  /** Resolves when what was written survives a power cut. */
  protected async synced(): Promise<void> {
    await this.#disk.sync().catch((error: unknown) => {
      throw storageFailure(error, this.#parts.stateDir);
    });
  }

  #copyEnded({ session_id, ended }: Written): void {
    if (ended) this.#copies.start(session_id, ended);
  }

  async #durable(session_id: string): Promise<void> {
    await Promise.all([this.synced(), this.#copies.done(session_id)]);
  }

  #keepFailure(end: UnsavedEnd): void {
    if (!endsWithFailure(end.entries)) return;
    this.#unsaved.keep(end.run.session_id, end);
    this.#watchers.wake(end.run.session_id);
  }

  /** Writes in a batch of its own, so that no other write fails with it. @throws Failure `storage_full` or `storage_failed` */
  #save({ run, entries }: UnsavedEnd): void {
    try {
      this.#copyEnded(this.batch.now(() => this.#rows.append(run, entries)));
    } catch (error) {
      if (isLoss(error)) throw error;
      // Another process has ended it in the meantime.
    }
  }

  /** Writes in a batch of its own: no session may fail because this does not fit any more. */
  #noteCopies(copies: readonly WrittenCopy[]): void {
    const note = () => {
      for (const copy of copies) this.#rows.noteCopy(copy);
    };
    try {
      this.batch.now(note);
    } catch {
      // They are copied again by whoever starts next.
    }
  }
}
