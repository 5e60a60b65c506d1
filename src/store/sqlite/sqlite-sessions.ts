import type { SessionOutcome } from "../../domain/session.ts";
import type { AddedEntry, CreatedEntry, RunEntry } from "../../domain/session-entry.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { endedEntryIn } from "../session-row.ts";
import {
  type EntriesOfTrials,
  entriesGiven,
  isLoss,
  type LoggedEntry,
  type Run,
  type Safety,
  type TrialsOf,
} from "../store.ts";
import { Watchers } from "../watchers.ts";
import type { Database } from "./database.ts";
import { JsonCopies, type WrittenCopy } from "./json-copies.ts";
import type { ProcessLease } from "./process-lease.ts";
import type { Retries } from "./retries.ts";
import { SessionLogs } from "./session-logs.ts";
import { SessionRows, type Written } from "./session-rows.ts";
import { guarded } from "./storage-failure.ts";
import { type UnsavedEnd, UnsavedEnds } from "./unsaved-ends.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Copies that a power cut may have torn are young: of so many ended sessions the copy is looked at when the store opens. */
const YOUNG_COPIES = 200;

interface SessionsParts {
  readonly stateDir: string;
  readonly database: Database;
  readonly lease: ProcessLease;
  readonly batch: WriteBatch;
  readonly retries: Retries;
  /** Resolves when what was written survives a power cut. */
  readonly synced: () => Promise<void>;
}

/** Sessions as rows, with the JSON copies of those that ended. Its methods promise what those of `SessionStore` do. */
export class SqliteSessions {
  readonly #parts: SessionsParts;
  readonly #rows: SessionRows;
  readonly #logs: SessionLogs;
  readonly #copies: JsonCopies;
  readonly #watchers = new Watchers();
  readonly #unsaved: UnsavedEnds;

  constructor(parts: SessionsParts) {
    const { stateDir, database, lease, retries } = parts;
    this.#parts = parts;
    this.#unsaved = new UnsavedEnds(retries, (end) => this.#save(end));
    this.#rows = new SessionRows(database, lease);
    this.#logs = new SessionLogs(database, this.#unsaved);
    this.#copies = new JsonCopies(stateDir, lease, {
      ended: (session_id) => this.#logs.ended(session_id),
      note: (copies) => this.#noteCopies(copies),
    });
  }

  async create(entry: CreatedEntry): Promise<Run | undefined> {
    this.#parts.retries.try();
    const created = await this.#parts.batch.write(() => this.#rows.create(entry));
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
    this.#parts.retries.try();
    let written: Written;
    try {
      written = await this.#parts.batch.write(() => this.#rows.append(run, entriesNow()));
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
    const run = await this.#parts.batch.write(() => {
      const next = this.#rows.takeOver(session_id);
      if (next) this.#rows.append(next, [{ type: "attempt_started", at }]);
      return next;
    });
    this.#watchers.wake(session_id);
    return run;
  }

  async add(session_ids: readonly string[], entry: AddedEntry): Promise<void> {
    const added = await this.#parts.batch.write(() => session_ids.flatMap((id) => this.#rows.add(id, entry) ?? []));
    for (const written of added) this.#copyEnded(written);
    await Promise.all(added.map(({ session_id }) => this.#durable(session_id)));
    for (const { session_id } of added) this.#watchers.wake(session_id);
  }

  read(session_id: string, from: number): readonly LoggedEntry[] {
    return this.#logs.read(session_id, from);
  }

  trials(of: TrialsOf): readonly TrialRow[] {
    return this.#logs.trials(of);
  }

  watch(session_id: string, wake: () => void): () => void {
    return this.#watchers.watch(session_id, wake);
  }

  /** Ends what dead processes left running, within a transaction. What it gives is for `ended` after it. */
  interruptDead(at: string): readonly Written[] {
    return this.#rows.interruptDead(at);
  }

  ended(interrupted: readonly Written[]): void {
    for (const written of interrupted) {
      this.#copyEnded(written);
      this.#watchers.wake(written.session_id);
    }
  }

  /** What was written last is not stored. */
  takenBack(): void {
    this.#rows.forget();
  }

  /** Writes copies that are missing or torn. */
  repairCopies(): void {
    const { missing, written } = this.#rows.copies(YOUNG_COPIES);
    for (const session_id of missing) this.#copies.repair(session_id);
    // Up to 0.1.6 it was only noted that there is one.
    for (const [session_id, bytes] of written)
      if (!this.#copies.has(session_id, bytes === 1 ? null : bytes)) this.#copies.repair(session_id);
  }

  /** Says in the database which copies are written. */
  noteCopies(): void {
    this.#copies.note();
  }

  #copyEnded({ session_id, ended }: Written): void {
    if (ended) this.#copies.start(session_id, ended);
  }

  async #durable(session_id: string): Promise<void> {
    await Promise.all([this.#parts.synced(), this.#copies.done(session_id)]);
  }

  #keepFailure(end: UnsavedEnd): void {
    if (!endedEntryIn(end.entries)?.failure) return;
    this.#unsaved.keep(end);
    this.#watchers.wake(end.run.session_id);
  }

  /** In a batch of its own, so that its failure is nobody else's. @throws Failure `storage_full` or `storage_failed` */
  #save({ run, entries }: UnsavedEnd): void {
    try {
      this.#copyEnded(this.#parts.batch.now(() => this.#rows.append(run, entries)));
    } catch (error) {
      if (isLoss(error)) throw error;
      // Another process has ended it in the meantime.
    }
  }

  /** In a batch of its own: nobody's session may fail because this does not fit any more. */
  #noteCopies(copies: readonly WrittenCopy[]): void {
    const note = () => {
      for (const copy of copies) this.#rows.noteCopy(copy);
    };
    try {
      this.#parts.database.transaction(note).immediate();
    } catch {
      // They are copied again by whoever starts next.
    }
  }
}
