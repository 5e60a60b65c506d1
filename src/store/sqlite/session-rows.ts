import { errorCode } from "../../domain/failure.ts";
import { isFinal, type SessionOutcome } from "../../domain/session.ts";
import type { CreatedEntry, RunEntry, SessionEntry } from "../../domain/session-entry.ts";
import { fold } from "../fold.ts";
import { sharedText } from "../page-sessions.ts";
import { isLog } from "../read-session.ts";
import {
  interruption,
  isListed,
  isStale,
  ROW_NAMES,
  rowTextOf,
  type StaleRow,
  type StaleRows,
} from "../session-row.ts";
import { type Lost, type Run, superseded } from "../store.ts";
import type { Database } from "./database.ts";
import { DESCRIBE_DAMAGED, OWNED, type OwnedRow } from "./dead-runs.ts";
import type { EndedSession, WrittenCopy } from "./json-copies.ts";
import type { ProcessLease } from "./process-lease.ts";
import { addText } from "./session-texts.ts";

/** A session that was written to, as it is now if it has ended. */
export interface Written {
  readonly session_id: string;
  readonly ended: EndedSession | undefined;
}

/** A session whose process ended without a word. */
export interface Dead extends Written {
  /** Absent: it only waited in line, and waits again. */
  readonly lost?: Lost;
}

/** A log, and the number of its last entry: how many there are, unless some were lost. */
interface NumberedLog {
  readonly entries: readonly SessionEntry[];
  readonly last: number;
  /** The size of its JSON. */
  readonly bytes: number;
}

/** The bytes of a log that is kept though its session has ended. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/**
 * The rows of `entries`, which is the truth, and of `sessions`, which is made of it for lists and series. A session that
 * runs is owned by its process. Every method belongs in a transaction of the caller's.
 */
export class SessionRows {
  readonly #database: Database;
  readonly #lease: ProcessLease;
  readonly #after: string;
  /** Runs of `after`, which begin again here. */
  readonly inherited: Run[] = [];
  /** Logs of the runs that write here, without what other processes have added since. */
  readonly #running = new Map<string, NumberedLog>();
  /** The same of the ended session to which was added last: votes come one after another. */
  #added: { readonly session_id: string; readonly log: NumberedLog } | undefined;

  constructor(database: Database, lease: ProcessLease, after = "") {
    this.#database = database;
    this.#lease = lease;
    this.#after = after;
  }

  /** Undefined when the id is taken. */
  create(entry: CreatedEntry): Written | undefined {
    const { session_id, state } = entry.session;
    const outcome = fold([entry]);
    const ended = isFinal(state) ? { outcome, entries: 1 } : undefined;
    const row = { session_id, owner: ended ? null : this.#lease.id, ...rowTextOf(outcome) };
    const { changes } = this.#database.query(CREATE).run(row);
    if (changes === 0) return undefined;
    this.#addText(outcome, row.judge);
    const log = this.#extended({ session_id, attempt: 1 }, NOTHING, [entry]);
    if (!ended) this.#running.set(session_id, log);
    return { session_id, ended };
  }

  /** @throws Failure `interrupted` when the run has lost its session */
  append(run: Run, entries: readonly RunEntry[]): Written {
    const { session_id } = run;
    const owned = this.#database.query(OWN).get({ ...run, owner: this.#lease.id });
    if (owned === null) throw superseded(session_id);
    const log = this.#extended(run, this.#log(session_id), entries);
    this.#running.set(session_id, log);
    return { session_id, ended: entries.some(isListed) ? this.#describe(session_id, log) : undefined };
  }

  /** Appends an entry that does not come from the session's run. Undefined when the session is unknown. */
  add(session_id: string, entry: SessionEntry): Written | undefined {
    const row = this.#database.query(ATTEMPT).get({ session_id });
    if (row === null) return undefined;
    const { attempt } = row as { attempt: number };
    const log = this.#extended({ session_id, attempt }, this.#log(session_id), [entry]);
    const ended = this.#describe(session_id, log);
    this.#added = ended && log.bytes < MAX_KEPT_BYTES ? { session_id, log } : undefined;
    return { session_id, ended };
  }

  /** Supersedes the attempt that ran it before. Undefined when the session has ended or is unknown. */
  takeOver(session_id: string): Run | undefined {
    const row = this.#database.query(TAKE_OVER).get({ session_id, owner: this.#lease.id });
    this.#running.delete(session_id);
    return row === null ? undefined : { session_id, attempt: (row as { attempt: number }).attempt };
  }

  /** Ends what dead processes left running. A run of `after` begins again, until two of its processes fell silent while they ran it. */
  interruptDead(at: string): readonly Dead[] {
    const owned = this.#database.query(OWNED).values({ after: this.#after }) as OwnedRow[];
    return owned.flatMap(([session_id, owner, state, silent, begins]) => {
      const run = this.#lease.isAlive(owner) ? undefined : this.takeOver(session_id);
      if (!run) return [];
      if (begins) this.inherited.push(run);
      const entry = begins ? ({ type: "attempt_started", at } as const) : interruption({ state, silent }, at);
      const lost = { session_id, attempt: run.attempt - 1, goes_on: Boolean(begins) };
      return [{ ...this.#settle(run, entry), ...(!(begins && state === "queued") && { lost }) }];
    });
  }

  /** Rows that an earlier version wrote, and how to write them anew; by `write`, in a transaction of its own. */
  staleRows(write: (work: () => void) => Promise<void>): StaleRows {
    return {
      top: async () => (this.#database.query(TOP).values() as [[number]])[0][0],
      stale: async (between) => this.#database.query(STALE).all({ ...between }) as StaleRow[],
      relist: (session_ids) =>
        write(() => {
          for (const session_id of session_ids) this.#relist(session_id);
        }),
    };
  }

  /** Must be called when a transaction is rolled back: what is remembered may not be stored. */
  forget(): void {
    this.#running.clear();
    this.#added = undefined;
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

  #relist(session_id: string): void {
    try {
      const { entries } = this.#read(session_id);
      if (isLog(entries)) this.#database.query(DESCRIBE).run({ session_id, ...rowTextOf(fold(entries)) });
    } catch (error) {
      if (errorCode(error)?.startsWith("SQLITE")) throw error;
    }
  }

  #extended(run: Run, { entries, last, bytes }: NumberedLog, more: readonly SessionEntry[]): NumberedLog {
    const insert = this.#database.query(INSERT);
    let written = bytes;
    for (const [index, entry] of more.entries()) {
      const text = JSON.stringify(entry);
      insert.run({ ...run, n: last + 1 + index, entry: text });
      written += text.length;
    }
    return { entries: [...entries, ...more], last: last + more.length, bytes: written };
  }

  #log(session_id: string): NumberedLog {
    const added = this.#added?.session_id === session_id ? this.#added.log : undefined;
    const known = this.#running.get(session_id) ?? added;
    const isWhole = known && this.#database.query(ENTRY).get({ session_id, n: known.last + 1 }) === null;
    return isWhole ? known : this.#read(session_id);
  }

  /** Brings the session's row up to date with its log. */
  #describe(session_id: string, { entries }: NumberedLog): EndedSession | undefined {
    if (!isLog(entries)) return undefined;
    const outcome = fold(entries);
    const ended = isFinal(outcome.state);
    if (ended) this.#running.delete(session_id);
    const row = rowTextOf(outcome);
    this.#database.query(ended ? DESCRIBE_ENDED : DESCRIBE).run({ session_id, ...row });
    // Its verdict may name another judge.
    if (ended) this.#addText(outcome, row.judge);
    // A row of the database may bear any name, and its copy's path is made of it.
    return ended && outcome.session_id === session_id ? { outcome, entries: entries.length } : undefined;
  }

  #addText({ session_id, definition, arms }: SessionOutcome, judge_model: string | null): void {
    addText(this.#database, session_id, sharedText({ session_id, title: definition.title, arms, judge_model }));
  }

  #read(session_id: string): NumberedLog {
    const rows = this.#database.query(ENTRIES).values({ session_id }) as [number, string][];
    const bytes = rows.reduce((sum, [, entry]) => sum + entry.length, 0);
    return { entries: rows.map(([, entry]) => JSON.parse(entry)), last: rows.at(-1)?.[0] ?? 0, bytes };
  }

  /** Works for a damaged log too: reading it is refused, but the program must still start. */
  #settle(run: Run, entry: RunEntry): Written {
    try {
      return this.append(run, [entry]);
    } catch (error) {
      if (errorCode(error)?.startsWith("SQLITE")) throw error;
      this.#database.query(DESCRIBE_DAMAGED).run({ session_id: run.session_id });
      return { session_id: run.session_id, ended: undefined };
    }
  }
}

const CREATE = `INSERT INTO sessions (session_id, owner, copied, ${ROW_NAMES.join(", ")})
  VALUES ($session_id, $owner, 1, ${ROW_NAMES.map((name) => `$${name}`).join(", ")})
  ON CONFLICT DO NOTHING`;

const TOP = "SELECT coalesce(max(position), 0) + 1 FROM sessions";

const STALE = `SELECT position, session_id FROM sessions INDEXED BY sessions_listed
  WHERE position >= $from AND position < $below AND ${isStale("instr")} AND owner IS NULL
  ORDER BY position DESC LIMIT $most`;

const NOTHING: NumberedLog = { entries: [], last: 0, bytes: 0 };

const INSERT = "INSERT INTO entries (session_id, n, attempt, entry) VALUES ($session_id, $n, $attempt, $entry)";

const ENTRY = "SELECT 1 FROM entries WHERE session_id = $session_id AND n = $n";

const ATTEMPT = "SELECT attempt FROM sessions WHERE session_id = $session_id";

const OWN = `${ATTEMPT} AND attempt = $attempt AND owner = $owner`;

const ENTRIES = "SELECT n, entry FROM entries WHERE session_id = $session_id ORDER BY n";

const SET = `UPDATE sessions SET ${ROW_NAMES.map((name) => `${name} = $${name}`).join(", ")}`;

const DESCRIBE = `${SET} WHERE session_id = $session_id`;

const DESCRIBE_ENDED = `${SET}, owner = NULL, copied = 0 WHERE session_id = $session_id`;

const TAKE_OVER = `UPDATE sessions SET attempt = attempt + 1, owner = $owner
  WHERE session_id = $session_id AND owner IS NOT NULL RETURNING attempt`;

/** Unless something was added to the session since, in whatever process. */
const NOTE_COPY = `UPDATE sessions SET copied = $bytes WHERE session_id = $session_id
  AND (SELECT max(n) FROM entries WHERE session_id = $session_id) = $entries`;
