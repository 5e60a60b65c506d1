import { isFinal, type SessionOutcome } from "../../domain/session.ts";
import type { CreatedEntry, EndedEntry, RunEntry, SessionEntry, SessionLog } from "../../domain/session-entry.ts";
import { fold } from "../fold.ts";
import { isLog } from "../read-session.ts";
import { described, interruption, isListed } from "../session-row.ts";
import { type Run, superseded } from "../store.ts";
import type { Database } from "./database.ts";
import type { WrittenCopy } from "./json-copies.ts";
import { INTO_LISTED, SET_LISTED } from "./listed-columns.ts";
import type { ProcessLease } from "./process-lease.ts";
import { codeOf } from "./storage-failure.ts";

interface Added {
  readonly session_id: string;
  readonly ended: boolean;
}

/**
 * The rows of `entries`, which is the truth, and of `sessions`, which is made of it for lists and series. A session that
 * runs is owned by its process. Every method belongs in a transaction of the caller's.
 */
export class SessionRows {
  readonly #database: Database;
  readonly #lease: ProcessLease;
  /** Of the logs of the runs that write here, what lists show: their rows are made of it. */
  readonly #running = new Map<string, readonly SessionEntry[]>();

  constructor(database: Database, lease: ProcessLease) {
    this.#database = database;
    this.#lease = lease;
  }

  /** False when the id is taken. */
  create(entry: CreatedEntry): boolean {
    const { session_id, scenario, state, trial, comparison = null } = entry.session;
    const owner = isFinal(state) ? null : this.#lease.id;
    const series_id = trial?.series_id ?? null;
    const row = { session_id, scenario, series_id, comparison, owner, ...described(fold([entry])) };
    const { changes } = this.#database.query(CREATE).run(row);
    if (changes === 0) return false;
    this.#insert(session_id, 1, entry);
    this.#running.set(session_id, [entry]);
    return true;
  }

  /** Gives the entries. @throws Failure `interrupted` when the run has lost its session */
  append({ session_id, attempt }: Run, entries: readonly RunEntry[]): readonly RunEntry[] {
    if (this.#database.query(OWN).get({ session_id, attempt, owner: this.#lease.id }) === null)
      throw superseded(session_id);
    if (!this.#running.has(session_id)) this.#running.set(session_id, this.#withoutDecisions(session_id));
    for (const entry of entries) this.#insert(session_id, attempt, entry);
    const listed = entries.filter(isListed);
    if (listed.length > 0) this.#describe(session_id, listed);
    return entries;
  }

  /** From others than the session's run. Undefined when the session is unknown. */
  add(session_id: string, entry: SessionEntry): Added | undefined {
    const row = this.#database.query("SELECT attempt FROM sessions WHERE session_id = $session_id").get({ session_id });
    if (row === null) return undefined;
    this.#insert(session_id, (row as { attempt: number }).attempt, entry);
    return { session_id, ended: this.#describe(session_id, [entry]) };
  }

  /** Whoever ran it before is superseded. Undefined when the session has ended or is unknown. */
  takeOver(session_id: string): Run | undefined {
    const row = this.#database.query(TAKE_OVER).get({ session_id, owner: this.#lease.id });
    this.forget(session_id);
    return row === null ? undefined : { session_id, attempt: (row as { attempt: number }).attempt };
  }

  /** Ends what dead processes left running. Gives the ids. */
  interruptDead(at: string): readonly string[] {
    const sql = "SELECT session_id, owner, state FROM sessions WHERE owner IS NOT NULL";
    const owned = this.#database.query(sql).values() as [string, string, string][];
    return owned.flatMap(([session_id, owner, state]) => {
      const run = this.#lease.isAlive(owner) ? undefined : this.takeOver(session_id);
      if (run) this.#interrupt(run, interruption(state, at));
      return run ? [session_id] : [];
    });
  }

  /** What was written of a session may be lost, or is over: nothing is remembered of it. */
  forget(session_id: string): void {
    this.#running.delete(session_id);
  }

  /** Sessions whose copy is not written, and the size that each of the `youngest` written ones has. */
  copies(youngest: number): { readonly missing: readonly string[]; readonly written: ReadonlyMap<string, number> } {
    const missing = this.#database.query("SELECT session_id FROM sessions WHERE copied = 0").values() as [string][];
    const sql = `SELECT session_id, copied FROM sessions WHERE owner IS NULL AND copied > 0
      ORDER BY position DESC LIMIT $youngest`;
    const written = this.#database.query(sql).values({ youngest }) as [string, number][];
    return { missing: missing.map(([session_id]) => session_id), written: new Map(written) };
  }

  noteCopy(copy: WrittenCopy): void {
    this.#database.query(NOTE_COPY).run({ ...copy });
  }

  #insert(session_id: string, attempt: number, entry: SessionEntry): void {
    this.#database.query(INSERT).run({ session_id, attempt, entry: JSON.stringify(entry) });
  }

  /** Brings the session's row up to date after `entries` were inserted. True when the session has ended. */
  #describe(session_id: string, entries: readonly SessionEntry[]): boolean {
    // At its end also what other processes have added.
    const known = entries.some(({ type }) => type === "ended") ? undefined : this.#running.get(session_id);
    const log = known ? [...known, ...entries] : this.#withoutDecisions(session_id);
    if (known) this.#running.set(session_id, log);
    if (!isLog(log)) return false;
    const outcome = this.#folded(session_id, log);
    const ended = isFinal(outcome.state);
    this.#database.query(ended ? DESCRIBE_ENDED : DESCRIBE).run({ session_id, ...described(outcome) });
    return ended;
  }

  /** What an arm used that was cut short stands in its decisions alone. */
  #folded(session_id: string, withoutDecisions: SessionLog): SessionOutcome {
    const outcome = fold(withoutDecisions);
    const isCut = isFinal(outcome.state) && outcome.arms.some(({ status }) => status === "cancelled");
    const log = isCut ? this.#log(ENTRIES, session_id) : [];
    return isLog(log) ? fold(log) : outcome;
  }

  #withoutDecisions = (session_id: string) => this.#log(WITHOUT_DECISIONS, session_id);

  #log(sql: string, session_id: string): readonly SessionEntry[] {
    const rows = this.#database.query(sql).values({ session_id }) as [string][];
    return rows.map(([entry]) => JSON.parse(entry));
  }

  /** Also where the log is damaged: reading it is refused, and starting the program must not be. */
  #interrupt(run: Run, ended: EndedEntry): void {
    try {
      this.append(run, [ended]);
    } catch (error) {
      if (codeOf(error).startsWith("SQLITE")) throw error;
      this.#database.query(DESCRIBE_DAMAGED).run({ session_id: run.session_id });
    }
  }
}

const CREATE = `INSERT INTO sessions
    (session_id, scenario, series_id, comparison, state, owner, copied, listing, trial_row, ${INTO_LISTED.names})
  VALUES ($session_id, $scenario, $series_id, $comparison, $state, $owner, 1, $listing, $trial_row, ${INTO_LISTED.values})
  ON CONFLICT DO NOTHING`;

const INSERT = `INSERT INTO entries (session_id, n, attempt, entry)
  SELECT $session_id, 1 + coalesce(max(n), 0), $attempt, $entry FROM entries WHERE session_id = $session_id`;

const OWN = "SELECT 1 FROM sessions WHERE session_id = $session_id AND attempt = $attempt AND owner = $owner";

const ENTRIES = "SELECT entry FROM entries WHERE session_id = $session_id ORDER BY n";

const WITHOUT_DECISIONS = `SELECT entry FROM entries WHERE session_id = $session_id
  AND substr(entry, 1, 18) <> '{"type":"decision"' ORDER BY n`;

const DESCRIBE = `UPDATE sessions SET state = $state, listing = $listing, trial_row = $trial_row, ${SET_LISTED}
  WHERE session_id = $session_id`;

const DESCRIBE_ENDED = `UPDATE sessions SET state = $state, listing = $listing, trial_row = $trial_row,
  ${SET_LISTED}, owner = NULL, copied = 0 WHERE session_id = $session_id`;

const interrupted = (column: string) =>
  `${column} = CASE WHEN json_valid(${column}) THEN json_set(${column}, '$.state', 'interrupted') ELSE ${column} END`;

const DESCRIBE_DAMAGED = `UPDATE sessions SET state = 'interrupted', result = 'interrupted', owner = NULL,
  ${interrupted("listing")}, ${interrupted("trial_row")} WHERE session_id = $session_id`;

const TAKE_OVER = `UPDATE sessions SET attempt = attempt + 1, owner = $owner
  WHERE session_id = $session_id AND owner IS NOT NULL RETURNING attempt`;

/** Unless something was added to the session since, in whatever process. */
const NOTE_COPY = `UPDATE sessions SET copied = $bytes WHERE session_id = $session_id
  AND (SELECT max(n) FROM entries WHERE session_id = $session_id) = $entries`;
