import type { TrialWork } from "../../domain/cell.ts";
import { Failure } from "../../domain/failure.ts";
import type { AddedEntry, CreatedEntry, RunEntry } from "../../domain/session-entry.ts";
import type {
  SessionListing,
  SessionListRequest,
  SessionSummary,
  SessionSummaryRequest,
} from "../../domain/session-list.ts";
import { type TrialRow, trialRowOf } from "../../domain/trial.ts";
import { breathe } from "../../runtime/pace.ts";
import { foldLog } from "../read-session.ts";
import type { RequestKey } from "../request-keys.ts";
import {
  endsWithFailure,
  entriesBehind,
  isStale,
  readableTrials,
  readWork,
  relistAll,
  type StaleRow,
  type StaleRows,
  type StoredTrial,
  type UnsavedEnd,
  whichTrials,
} from "../session-row.ts";
import type { SqlDriver } from "../sql.ts";
import {
  type EntriesOfTrials,
  type HearLost,
  isLoss,
  type LoggedEntry,
  type Lost,
  type Run,
  type Safety,
  type TrialsOf,
} from "../store.ts";
import { PATIENCE_MS, type PostgresDatabase } from "./connection.ts";
import { beginOnce, type Flusher } from "./flusher.ts";
import { readListings, summarizeListings } from "./page-sessions.ts";
import type { RunWakes } from "./run-wakes.ts";
import { SessionRows } from "./session-rows.ts";
import { ask, runSteps, type Sql } from "./statement.ts";
import { UnsavedEnds } from "./unsaved-ends.ts";

export interface SessionsParts {
  readonly database: PostgresDatabase;
  readonly flusher: Flusher;
  readonly wakes: RunWakes;
  /** Names this process as the owner of what it runs. */
  readonly me: string;
  readonly lost: HearLost;
}

/** Its entries are what readers see until it is stored. */
interface GivenEnd extends UnsavedEnd {
  readonly given: readonly RunEntry[] | EntriesOfTrials;
}

/** Sessions as rows. Its methods promise what those of `SessionStore` do. */
export class PostgresSessions implements AsyncDisposable {
  readonly #parts: SessionsParts;
  readonly #rows: SessionRows;
  readonly #unsaved = new UnsavedEnds<GivenEnd>(({ run, given }) => this.#write(run, given));
  /** Calls of each run that failed: what it asked for before it knew that is not stored either, but for its end. */
  readonly #losses = new Map<string, number>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#rows = new SessionRows(parts.me);
  }

  async create(entry: CreatedEntry, key?: RequestKey): Promise<Run | undefined> {
    const { session_id } = entry.session;
    const created = await this.#parts.flusher.write((flush) =>
      beginOnce(flush.sql, key, session_id, () => this.#rows.create(flush, entry)),
    );
    return created ? { session_id, attempt: 1 } : undefined;
  }

  /** Durable, whatever is asked for. It knows the session without its decisions, so it gives none. */
  async append(run: Run, given: readonly RunEntry[] | EntriesOfTrials, _safety: Safety): Promise<undefined> {
    try {
      await this.#write(run, given);
    } catch (error) {
      this.#parts.flusher.forget(run.session_id);
      if (isLoss(error)) this.#losses.set(keyOf(run), this.#lossesOf(run) + 1);
      if (isLoss(error)) await this.#keepFailure(run, given);
      throw error;
    } finally {
      if (isLast(given)) this.#losses.delete(keyOf(run));
    }
  }

  async takeOver(session_id: string, at: string): Promise<Run | undefined> {
    return await this.#parts.flusher.write(async (flush) => {
      const run = await this.#rows.takeOver(flush, session_id);
      if (run) await this.#rows.append(flush, run, [{ type: "attempt_started", at }], this.#trials);
      return run;
    });
  }

  async add(session_ids: readonly string[], entry: AddedEntry): Promise<void> {
    await this.#parts.flusher.write(async (flush) => {
      // Every writer uses one order, so that two that add to the same sessions do not deadlock.
      for (const session_id of [...session_ids].sort()) await this.#rows.add(flush, session_id, entry);
    });
  }

  async read(session_id: string, from = 0): Promise<readonly LoggedEntry[]> {
    const unsaved = this.#unsaved.get(session_id);
    if (unsaved === undefined) return await this.#stored(session_id, from);
    const stored = await this.#stored(session_id, 0);
    return [...stored, ...entriesBehind(stored.at(-1)?.n ?? 0, unsaved)].filter(({ n }) => n > from);
  }

  async list(query: SessionListRequest = {}, signal?: AbortSignal): Promise<readonly SessionListing[]> {
    const { database } = this.#parts;
    // The newest, or those behind one, come from an index.
    const read = (sql: Sql) => readListings(sql, query);
    return await (isPlain(query) ? database.read(read, PATIENCE_MS) : database.search(read, signal));
  }

  async summarize(request: SessionSummaryRequest, signal?: AbortSignal): Promise<SessionSummary> {
    return await this.#parts.database.search((sql) => summarizeListings(sql, request), signal);
  }

  async trials(of: TrialsOf): Promise<readonly TrialRow[]> {
    return await this.#parts.database.read((sql) => this.#trials(sql, of));
  }

  work(session_ids: readonly string[]): Promise<ReadonlyMap<string, TrialWork>> {
    const { database, flusher } = this.#parts;
    const driver: SqlDriver = {
      read: (steps) => database.read((sql) => runSteps(sql, steps())),
      write: (steps) => flusher.write(({ sql }) => runSteps(sql, steps())),
    };
    const read = async (session_id: string) => foldLog(await this.read(session_id));
    return readWork(driver, { among: "IN (SELECT json_array_elements_text(($ids::text)::json))", read }, session_ids);
  }

  watch(session_id: string, wake: () => void): () => void {
    return this.#parts.wakes.watch(session_id, wake);
  }

  /** Ends what dead processes left running and no queue brings back. */
  protected async interruptDead(at: string): Promise<void> {
    const { flusher, lost } = this.#parts;
    for (let dead: readonly Lost[] | undefined; dead?.length !== 0; ) {
      dead = await flusher.write((flush) => this.#rows.interruptDead(flush, at));
      dead.forEach(lost);
    }
  }

  protected async relist(signal: AbortSignal): Promise<void> {
    const { database, flusher } = this.#parts;
    const rows: StaleRows = {
      top: async () => (await database.read((sql) => ask<{ top: number }>(sql, TOP)))[0]?.top ?? 0,
      stale: ({ from, below, most }) => database.read((sql) => ask<StaleRow>(sql, STALE, [from, below, most])),
      relist: (session_ids) => flusher.write((flush) => this.#rows.relist(flush, session_ids)),
    };
    await relistAll(rows, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#unsaved.try();
    this.#unsaved[Symbol.dispose]();
  }

  async #write(run: Run, given: readonly RunEntry[] | EntriesOfTrials): Promise<void> {
    const losses = this.#lossesOf(run);
    await this.#parts.flusher.write(async (flush) => {
      if (!isLast(given) && this.#lossesOf(run) !== losses) throw gap(run);
      return await this.#rows.append(flush, run, given, this.#trials);
    });
  }

  #lossesOf(run: Run): number {
    return this.#losses.get(keyOf(run)) ?? 0;
  }

  async #stored(session_id: string, from: number): Promise<readonly LoggedEntry[]> {
    return await this.#parts.database.read(async (sql) => {
      const rows = await ask<StoredEntry>(sql, ENTRIES, [session_id, from]);
      return rows.map(({ n, attempt, entry }) => ({ n, attempt, entry: JSON.parse(entry) }));
    });
  }

  /** Includes ends that this process could not store yet. */
  #trials = async (sql: Sql, of: TrialsOf): Promise<readonly TrialRow[]> => {
    const rows = await readTrials(sql, of);
    return await Promise.all(
      rows.map(async (row) => {
        const outcome = this.#unsaved.get(row.session_id) && foldLog(await this.read(row.session_id, 0));
        return outcome ? trialRowOf(outcome) : row;
      }),
    );
  };

  async #keepFailure(run: Run, given: readonly RunEntry[] | EntriesOfTrials): Promise<void> {
    const { session_id } = run;
    // What the trials of its series say may be out of reach as well.
    const entries = typeof given === "function" ? given([]) : given;
    if (!endsWithFailure(entries)) return;
    this.#unsaved.keep(session_id, { run, given, entries });
    this.#parts.wakes.wake(session_id);
  }
}

/** Whether an index gives the rows in their order: nothing is looked for, and none is left out. */
const isPlain = ({ limit, before, scenario, state, ...others }: SessionListRequest): boolean =>
  limit !== undefined && Object.values(others).every((value) => value === undefined);

const keyOf = ({ session_id, attempt }: Run) => `${session_id} ${attempt}`;

/** Whether the attempt ends with it. */
const isLast = (given: readonly RunEntry[] | EntriesOfTrials) =>
  typeof given === "function" || given.some(({ type }) => type === "ended" || type === "released");

const gap = ({ session_id }: Run) =>
  new Failure("storage_failed", `an entry of ${session_id} was lost, so what came behind it is not stored`);

interface StoredEntry {
  readonly n: number;
  readonly attempt: number;
  readonly entry: string;
}

const TOP = "SELECT (coalesce(max(position), 0) + 1)::float8 AS top FROM abeval.sessions";

const STALE = `SELECT session_id, position::float8 AS position FROM abeval.sessions
  WHERE position >= $1::bigint AND position < $2::bigint AND ended AND ${isStale("strpos")}
  ORDER BY sessions.position DESC LIMIT $3::int`;

const ENTRIES = "SELECT n, attempt, entry FROM abeval.entries WHERE session_id = $1 AND n > $2::int ORDER BY n";

/** Rows that are read before others have their turn: some milliseconds. */
const ROWS_AT_ONCE = 1_000;

/** Rows come in the order of creation, without damaged ones. */
async function readTrials(sql: Sql, of: TrialsOf): Promise<readonly TrialRow[]> {
  const { column, value, limit } = whichTrials(of);
  // With a limit of null the planner expects a tenth of all rows, and reads the whole table for them.
  const most = limit === undefined ? "" : " LIMIT $2::int";
  const statement = `SELECT session_id, trial_row FROM abeval.sessions WHERE ${column} = $1 ORDER BY position${most}`;
  const stored = await ask<StoredTrial>(sql, statement, limit === undefined ? [value] : [value, limit]);
  const rows: TrialRow[] = [];
  for (let start = 0; start < stored.length; start += ROWS_AT_ONCE) {
    if (start > 0) await breathe();
    rows.push(...readableTrials(stored.slice(start, start + ROWS_AT_ONCE)));
  }
  return rows;
}
