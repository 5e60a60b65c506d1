import type { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import type { Clock, Entropy } from "../clock.ts";
import type { Decision } from "../domain/decision.ts";
import { Failure } from "../domain/failure.ts";
import { isFinal, type SessionListing, SessionOutcome } from "../domain/session.ts";
import type { Verdict } from "../domain/verdict.ts";
import { type Copy, Copying } from "./copying.ts";
import { openDatabase } from "./database.ts";
import { DiskSync } from "./disk-sync.ts";
import { interrupt } from "./interrupt.ts";
import { JsonCopies } from "./json-copy.ts";
import { listingOf } from "./listing.ts";
import { Owner } from "./owner.ts";
import { readListings } from "./read-listings.ts";
import { type ReadSession, readSession, rowOf, type SessionRow, withLogs } from "./read-session.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { guarded, storageFailure } from "./storage-failure.ts";
import type { SessionQuery, SessionStore } from "./store.ts";
import { Turns } from "./turns.ts";

/**
 * The layout of spec part 2 under `stateDir`. Several processes may share one directory; one process opens it once, since
 * a turn that is open keeps every other store from writing. Sessions that a dead process left behind become `interrupted`
 * here.
 * @throws Failure `storage_failed` or `storage_full`; then nothing that was there has changed.
 */
export function sqliteStore(stateDir: string, clock: Clock, entropy: Entropy): SessionStore {
  return guarded(stateDir, () => {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const database = openDatabase(join(stateDir, "sessions.db"));
    // Under the write lock, as the sweep is: a lock file that is not locked yet must not look like a dead owner's.
    const owner = database.transaction(() => new Owner(stateDir, entropy(8))).immediate();
    const store = new SqliteStore(stateDir, database, owner);
    try {
      store.recover(clock.now().toISOString());
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
  readonly #stateDir: string;
  readonly #database: Database;
  readonly #owner: Owner;
  readonly #copying: Copying;
  readonly #log: DiskSync;
  readonly #turns: Turns;
  /** How sessions ended that could not be saved, for want of space: they must not look as if they went on. */
  readonly #owed = new Map<string, SessionOutcome>();

  constructor(stateDir: string, database: Database, owner: Owner) {
    this.#stateDir = stateDir;
    this.#database = database;
    this.#owner = owner;
    this.#copying = new Copying(new JsonCopies(stateDir, owner), {
      read: (session_id, saved) => {
        this.#turns.tryCommit();
        return saved ? withLogs(database, saved) : readSession(database, session_id);
      },
      note: (copies) => this.#noteCopied(copies),
    });
    this.#log = new DiskSync(join(stateDir, "sessions.db-wal"));
    this.#turns = new Turns(database, stateDir);
    this.ledger = new SqliteLedger(database, this.#turns, owner, stateDir);
  }

  /** Written at the end of the turn, as it is then: most sessions have begun to run by that time. */
  create(outcome: SessionOutcome): boolean {
    this.#settle();
    const { session_id } = outcome;
    this.#turns.begin();
    if (this.#turns.holds(session_id) || this.#has(session_id)) return false;
    this.#turns.hold(session_id, () => this.#insert(outcome));
    return true;
  }

  append(session_id: string, arm_id: string, decision: Decision): void {
    this.#turns.write(
      "INSERT INTO decisions (session_id, arm_id, seq, decision) VALUES ($session_id, $arm_id, $seq, $decision)",
      { session_id, arm_id, seq: decision.seq, decision: JSON.stringify(decision) },
    );
  }

  save(outcome: SessionOutcome): void {
    const { session_id, state } = outcome;
    if (!isFinal(state)) {
      if (this.#turns.holds(session_id)) this.#turns.hold(session_id, () => this.#insert(outcome));
      else this.#turns.write(SAVE, { session_id, state, ...rendered(outcome) });
      return;
    }
    const row = this.#end(outcome);
    // Without one its creation was lost: it was never promised to anybody.
    if (row === undefined) return;
    this.#afterwards(
      () => this.#copying.start(session_id, row),
      () => this.#owed.set(session_id, outcome),
    );
  }

  addVerdict(session_id: string, verdict: Verdict): void {
    this.#turns.write("INSERT INTO verdicts (session_id, verdict) VALUES ($session_id, $verdict)", {
      session_id,
      verdict: JSON.stringify(verdict),
    });
    this.#turns.write("UPDATE sessions SET copied = 0 WHERE session_id = $session_id AND owner IS NULL", {
      session_id,
    });
    this.#afterwards(() => this.#copying.start(session_id));
  }

  async committed(): Promise<void> {
    await this.#turns.committed;
  }

  async durable(): Promise<void> {
    await this.committed();
    const synced = this.#log.sync().catch((error: unknown) => {
      throw storageFailure(error, this.#stateDir);
    });
    await Promise.all([synced, this.#copying.done()]);
  }

  get(session_id: string): SessionOutcome | undefined {
    this.#turns.tryCommit();
    this.#settle();
    const stored = guarded(this.#stateDir, () => readSession(this.#database, session_id));
    if (stored === undefined) return undefined;
    const outcome = checked(stored);
    if (isFinal(stored.state) && !this.#copying.agrees(stored)) this.#copying.repair(session_id);
    return outcome;
  }

  list(query: SessionQuery = {}): readonly SessionListing[] {
    this.#turns.tryCommit();
    this.#settle();
    return guarded(this.#stateDir, () => readListings(this.#database, query));
  }

  /** Marks what dead processes left running, writes copies that are missing, sweeps temporary files. */
  recover(at: string): void {
    const owned = this.#database.query("SELECT session_id, owner FROM sessions WHERE owner IS NOT NULL").all() as {
      session_id: string;
      owner: string;
    }[];
    for (const { session_id, owner } of owned) {
      const left = this.#owner.isAlive(owner) ? undefined : readSession(this.#database, session_id);
      if (left) this.#end(interrupt(checked(left), at));
    }
    this.ledger.settleDead();
    this.#turns.commit();
    const uncopied = this.#database.query("SELECT session_id FROM sessions WHERE copied = 0").all();
    for (const { session_id } of uncopied as { session_id: string }[]) this.#copying.repair(session_id);
    this.#database.transaction(() => this.#owner.sweep()).immediate();
  }

  [Symbol.dispose](): void {
    this.#turns.tryCommit();
    this.#settle();
    this.#copying.note();
    this.#log[Symbol.dispose]();
    this.#database.close();
    this.#owner[Symbol.dispose]();
  }

  #has(session_id: string): boolean {
    const sql = "SELECT 1 FROM sessions WHERE session_id = $session_id";
    return guarded(this.#stateDir, () => this.#database.query(sql).get({ session_id }) !== null);
  }

  #insert(outcome: SessionOutcome): void {
    const { session_id, scenario, state } = outcome;
    this.#turns.write(
      `INSERT INTO sessions (session_id, scenario, state, owner, copied, listing, outcome)
       VALUES ($session_id, $scenario, $state, $owner, 1, $listing, $outcome)`,
      { session_id, scenario, state, owner: this.#owner.id, ...rendered(outcome) },
    );
  }

  /** Writes how a session ended; undefined when there is no such session. */
  #end(outcome: SessionOutcome): SessionRow | undefined {
    const row = rowOf(outcome);
    const { session_id, state, text } = row;
    this.#owed.set(session_id, outcome);
    if (this.#turns.holds(session_id)) this.#turns.release();
    const listing = JSON.stringify(listingOf(outcome));
    const { changes } = this.#turns.write(END, { session_id, state, listing, outcome: text });
    this.#owed.delete(session_id);
    return changes === 1 ? row : undefined;
  }

  /** When what was just written is stored, and before those who wait for that go on. */
  #afterwards(stored: () => void, lost: () => void = () => undefined): void {
    void this.#turns.committed?.then(stored, lost);
  }

  /**
   * Saves what could not be saved when it happened, in a turn of its own, so that its failure is nobody else's; while that
   * still fails, the next call tries again.
   */
  #settle(): void {
    if (this.#owed.size === 0 || this.#turns.committed !== undefined) return;
    try {
      for (const outcome of [...this.#owed.values()]) this.save(outcome);
      this.#turns.commit();
    } catch {
      // There is no space yet.
    }
  }

  /** In a turn of its own: nobody's session may fail because this does not fit any more. */
  #noteCopied(copies: readonly Copy[]): void {
    this.#turns.tryCommit();
    try {
      for (const copy of copies) this.#turns.write(NOTE_COPIED, { ...copy });
    } catch {
      // They are copied again by whoever starts next.
    }
    this.#turns.tryCommit();
  }
}

/** Unless the session has changed since, in whatever process: an end changes its state, a later verdict their number. */
const NOTE_COPIED = `UPDATE sessions SET copied = 1 WHERE session_id = $session_id AND state = $state
  AND (SELECT count(*) FROM verdicts WHERE session_id = $session_id) = $verdicts`;

/** Sets no column that stays as it was: an index is written anew for each that is set. */
const SAVE = `UPDATE sessions SET state = $state, listing = $listing, outcome = $outcome WHERE session_id = $session_id`;

const END = `UPDATE sessions SET state = $state, owner = NULL, copied = 0, listing = $listing, outcome = $outcome
  WHERE session_id = $session_id`;

const rendered = (outcome: SessionOutcome) => ({
  listing: JSON.stringify(listingOf(outcome)),
  outcome: rowOf(outcome).text,
});

/** @throws Failure `storage_failed` for what another version of abeval wrote and this one cannot read. */
function checked({ session_id, outcome }: ReadSession): SessionOutcome {
  if (Value.Check(SessionOutcome, outcome)) return outcome;
  throw new Failure(
    "storage_failed",
    `${session_id}: stored by another version of abeval in a form this one cannot read`,
  );
}
