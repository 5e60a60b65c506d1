import { Failure } from "../../domain/failure.ts";
import { isFinal, type SessionOutcome } from "../../domain/session.ts";
import type { AddedEntry, CreatedEntry, RunEntry, SessionEntry, SessionLog } from "../../domain/session-entry.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { fold } from "../fold.ts";
import { isLog } from "../read-session.ts";
import { interruption, isListed, rowTextOf } from "../session-row.ts";
import type { SqlValue } from "../sql.ts";
import { type EntriesOfTrials, type Lost, notRunning, type Run, superseded, type TrialsOf } from "../store.ts";
import type { Flush } from "./flusher.ts";
import { isAlive } from "./presence.ts";
import { ask, type Sql } from "./statement.ts";

/**
 * Begins a session's log; false when its id is taken. Without an owner it is work of the queue, at attempt 0: whoever takes it
 * over has the first.
 * @throws Failure `series_not_running` when its place in its series is taken: of two who start the same trial only one still
 * runs the series
 */
export async function insertSession(sql: Sql, entry: CreatedEntry, owner: string | null): Promise<boolean> {
  const { session_id, state, trial } = entry.session;
  const ended = isFinal(state);
  const attempt = owner === null ? 0 : 1;
  const row: Record<string, SqlValue> = {
    ...{ session_id, attempt, ended, length: 1 },
    ...{ owner: ended ? null : owner, queued: owner === null, trial: trial?.trial ?? null },
    ...rowTextOf(fold([entry])),
  };
  const names = Object.keys(row);
  const places = names.map((_, index) => `$${index + 1}`);
  const statement = `INSERT INTO abeval.sessions (${names.join(", ")}) VALUES (${places.join(", ")}) ON CONFLICT DO NOTHING`;
  const { count } = await ask(sql, statement, Object.values(row));
  if (count === 0 && trial && (await ask(sql, OF_PLACE, [trial.series_id, trial.trial])).count > 0)
    throw new Failure("series_not_running", `trial ${trial.trial} of ${trial.series_id} was started before`);
  if (count === 0) return false;
  await insertEntries(sql, { session_id, attempt }, 0, [entry]);
  return true;
}

const OWNER = "SELECT owner FROM abeval.series WHERE series_id = $1 FOR SHARE";

/**
 * The rows of `entries`, which is the truth, and of `sessions`, which is made of it for lists and series. A session that
 * runs is owned by its process.
 */
export class SessionRows {
  readonly #me: string;

  constructor(me: string) {
    this.#me = me;
  }

  /** False when the id is taken. @throws Failure `series_not_running` for a trial of a series that this process does not run */
  async create({ sql, logs, changed }: Flush, entry: CreatedEntry): Promise<boolean> {
    const { trial } = entry.session;
    if (trial) await demandOwnSeries(sql, trial.series_id, this.#me);
    const created = await insertSession(sql, entry, this.#me);
    if (created && !isFinal(entry.session.state)) logs.set(entry.session.session_id, [entry]);
    changed.add(entry.session.session_id);
    return created;
  }

  /**
   * Gives the entries, which may depend on `trials` of the session's series.
   * @throws Failure `interrupted` when the run has lost its session
   */
  async append(
    flush: Flush,
    run: Run,
    given: readonly RunEntry[] | EntriesOfTrials,
    trials: ReadTrials,
  ): Promise<readonly RunEntry[]> {
    const { sql, logs, changed } = flush;
    const { session_id, attempt } = run;
    const entries = typeof given === "function" ? given(await beside(sql, session_id, trials)) : given;
    const before = logs.get(session_id) ?? (await withoutDecisions(sql, session_id));
    const [row] = await ask<Length>(sql, EXTEND_OWN, [session_id, entries.length, attempt, this.#me]);
    if (row === undefined) throw superseded(session_id);
    await insertEntries(sql, run, row.length - entries.length, entries);
    logs.set(session_id, before);
    changed.add(session_id);
    const listed = entries.filter(isListed);
    if (listed.length > 0) await describe(flush, session_id, listed);
    return entries;
  }

  /** Appends an entry that does not come from the session's run. Nothing happens when the session is unknown. */
  async add(flush: Flush, session_id: string, entry: AddedEntry): Promise<void> {
    const [row] = await ask<Length & { attempt: number }>(flush.sql, EXTEND, [session_id, 1]);
    if (row === undefined) return;
    flush.changed.add(session_id);
    await insertEntries(flush.sql, { session_id, attempt: row.attempt }, row.length - 1, [entry]);
    await describe(flush, session_id, [entry]);
  }

  /** Writes the rows of ended sessions anew; another process that does the same takes others. */
  async relist(flush: Flush, session_ids: readonly string[]): Promise<void> {
    const own = await ask<{ session_id: string }>(flush.sql, LOCK_ENDED, [session_ids]);
    for (const { session_id } of own) {
      await describe(flush, session_id, []).catch((error: unknown) => {
        if (!(error instanceof SyntaxError || error instanceof Failure)) throw error;
      });
    }
  }

  /** Supersedes the attempt that ran it before. Undefined when the session has ended or is unknown. */
  async takeOver({ sql, logs }: Flush, session_id: string): Promise<Run | undefined> {
    const [row] = await ask<{ attempt: number }>(sql, TAKE_OVER, [session_id, this.#me]);
    logs.delete(session_id);
    return row && { session_id, attempt: row.attempt };
  }

  /** Ends what dead processes left running and no queue brings back: some of it. Gives what was lost. */
  async interruptDead(flush: Flush, at: string): Promise<readonly Lost[]> {
    const dead = await ask<{ session_id: string; state: string }>(flush.sql, DEAD);
    const lost: Lost[] = [];
    for (const { session_id, state } of dead) {
      const run = await this.takeOver(flush, session_id);
      if (run === undefined) continue;
      await this.#interrupt(flush, run, state, at);
      lost.push({ session_id, attempt: run.attempt - 1, goes_on: false });
    }
    return lost;
  }

  /** Works for a damaged log too: reading it is refused, but the program must still start. */
  async #interrupt(flush: Flush, run: Run, state: string, at: string): Promise<void> {
    const { session_id } = run;
    const log = await withoutDecisions(flush.sql, session_id).catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error;
    });
    try {
      if (log && isLog(log)) {
        await this.append(flush, run, [interruption({ state }, at)], async () => []);
        return;
      }
    } catch (error) {
      // The end is stored. Only a newer version can describe what stands before it.
      if (!(error instanceof Failure && error.code === "newer_version")) throw error;
      flush.logs.delete(session_id);
    }
    await describeDamaged(flush.sql, session_id);
    flush.changed.add(session_id);
  }
}

/** The same of a series that is stored: trials without one are nobody's. */
async function demandOwnSeries(sql: Sql, series_id: string, owner: string): Promise<void> {
  const [row] = await ask<{ owner: string | null }>(sql, OWNER, [series_id]);
  if (row && row.owner !== owner) throw notRunning(series_id);
}

/** Trials as this process sees them. */
type ReadTrials = (sql: Sql, of: TrialsOf) => Promise<readonly TrialRow[]>;

interface Length {
  readonly length: number;
}

async function beside(sql: Sql, session_id: string, trials: ReadTrials): Promise<readonly TrialRow[]> {
  const [row] = await ask<{ series_id: string | null }>(sql, SERIES_OF, [session_id]);
  if (!row?.series_id) return [];
  // Trials that end at the same time, here or elsewhere, see each other.
  await ask(sql, LOCK_SERIES, [row.series_id]);
  return await trials(sql, { series_id: row.series_id });
}

async function insertEntries(sql: Sql, run: Run, before: number, entries: readonly SessionEntry[]): Promise<void> {
  const { session_id, attempt } = run;
  const kinds = entries.map(({ type }) => type);
  const texts = entries.map((entry) => JSON.stringify(entry));
  if (texts.length > 0) await ask(sql, INSERT, [session_id, attempt, before, kinds, texts]);
}

/** Brings the session's row up to date after `entries` were inserted. */
async function describe({ sql, logs }: Flush, session_id: string, entries: readonly SessionEntry[]): Promise<void> {
  // The end also includes what other processes have added.
  const known = entries.some(({ type }) => type === "ended") ? undefined : logs.get(session_id);
  const log = known ? [...known, ...entries] : await withoutDecisions(sql, session_id);
  if (known) logs.set(session_id, log);
  if (!isLog(log)) return;
  const outcome = await folded(sql, session_id, log);
  const ended = isFinal(outcome.state);
  if (ended) logs.delete(session_id);
  const row: Record<string, SqlValue> = { ended, ...rowTextOf(outcome) };
  const changes = Object.keys(row).map((name, index) => `${name} = $${index + 2}`);
  const statement = `UPDATE abeval.sessions SET ${changes.join(", ")},
    owner = CASE WHEN $2 THEN NULL ELSE owner END WHERE session_id = $1`;
  await ask(sql, statement, [session_id, ...Object.values(row)]);
}

async function describeDamaged(sql: Sql, session_id: string): Promise<void> {
  const [row] = await ask<Record<"listing" | "trial_row", string>>(sql, DESCRIBED, [session_id]);
  if (row) await ask(sql, DESCRIBE_DAMAGED, [session_id, interrupted(row.listing), interrupted(row.trial_row)]);
}

function interrupted(text: string): string {
  try {
    return JSON.stringify({ ...JSON.parse(text), state: "interrupted" });
  } catch {
    return text;
  }
}

/** Only the decisions of an arm that was cut short say what it used. */
async function folded(sql: Sql, session_id: string, known: SessionLog): Promise<SessionOutcome> {
  const outcome = fold(known);
  const isCut = isFinal(outcome.state) && outcome.arms.some(({ status }) => status === "cancelled");
  const log = isCut ? await logOf(sql, ENTRIES, session_id) : [];
  return isLog(log) ? fold(log) : outcome;
}

const withoutDecisions = (sql: Sql, session_id: string) => logOf(sql, WITHOUT_DECISIONS, session_id);

async function logOf(sql: Sql, statement: string, session_id: string): Promise<readonly SessionEntry[]> {
  const rows = await ask<{ entry: string }>(sql, statement, [session_id]);
  return rows.map(({ entry }) => JSON.parse(entry));
}

const OF_PLACE = "SELECT FROM abeval.sessions WHERE series_id = $1 AND trial = $2";

const SERIES_OF = "SELECT series_id FROM abeval.sessions WHERE session_id = $1";

const LOCK_SERIES = "SELECT FROM abeval.series WHERE series_id = $1 FOR UPDATE";

/** The lock of the row keeps the places of entries without gaps, whoever writes. */
const EXTEND = "UPDATE abeval.sessions SET length = length + $2::int WHERE session_id = $1 RETURNING length, attempt";

const EXTEND_OWN = `UPDATE abeval.sessions SET length = length + $2::int
  WHERE session_id = $1 AND attempt = $3 AND owner = $4 AND NOT ended RETURNING length`;

const INSERT = `INSERT INTO abeval.entries (session_id, n, attempt, kind, entry)
  SELECT $1, $3::int + place, $2::int, kind, entry
  FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS given (kind, entry, place)`;

const ENTRIES = "SELECT entry FROM abeval.entries WHERE session_id = $1 ORDER BY n";

const WITHOUT_DECISIONS = "SELECT entry FROM abeval.entries WHERE session_id = $1 AND kind <> 'decision' ORDER BY n";

const TAKE_OVER = `UPDATE abeval.sessions SET attempt = attempt + 1, owner = $2
  WHERE session_id = $1 AND NOT ended RETURNING attempt`;

const LOCK_ENDED = `SELECT session_id FROM abeval.sessions WHERE session_id = ANY ($1) AND ended
  ORDER BY session_id FOR UPDATE SKIP LOCKED`;

/** Another process that looks at the same moment takes the others. */
const DEAD = `SELECT session_id, state FROM abeval.sessions
  WHERE owner IS NOT NULL AND NOT queued AND NOT ${isAlive("owner")} ORDER BY session_id LIMIT 100 FOR UPDATE SKIP LOCKED`;

const DESCRIBED = "SELECT listing, trial_row FROM abeval.sessions WHERE session_id = $1";

const DESCRIBE_DAMAGED = `UPDATE abeval.sessions SET state = 'interrupted', result = 'interrupted', ended = true,
  owner = NULL, listing = $2, trial_row = $3 WHERE session_id = $1`;
