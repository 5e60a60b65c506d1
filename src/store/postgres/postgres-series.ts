import type { StoredResults } from "../../domain/results.ts";
import type { SeriesListing } from "../../domain/series-listing.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SeriesListRequest } from "../../domain/series-request.ts";
import { Pace } from "../../runtime/pace.ts";
import { seriesListingOf } from "../list-rows.ts";
import type { RequestKey } from "../request-keys.ts";
import { isResults, parsedSeries, READ_LIKE, SeriesRows, type StoredSeries } from "../series-rows.ts";
import type { LedgerCounts, SharedSeriesStore, TrialCounts } from "../series-store.ts";
import type { SqlSteps } from "../sql.ts";
import { isLoss, unknownSeries } from "../store.ts";
import type { PostgresDatabase } from "./connection.ts";
import { beginOnce, type Flusher } from "./flusher.ts";
import { isAlive } from "./presence.ts";
import { ask, runSteps, type Sql } from "./statement.ts";
import { UnsavedEnds } from "./unsaved-ends.ts";

interface Owner {
  /** Names this process as the owner of what it runs. */
  readonly me: string;
  /** Ends what dead processes left running. */
  readonly sweep: () => Promise<void>;
}

/** The rows of series as a process sees them that has this name. */
export const seriesRows = (me: string): SeriesRows =>
  new SeriesRows({
    me,
    is_free: `(owner IS NULL OR NOT ${isAlive("owner")})`,
    beside: (stored, owner) => ({
      queued: owner === null && !isResults(stored),
      scenarios: seriesListingOf(stored).scenarios,
    }),
  });

const LIST = `SELECT series FROM abeval.series
  WHERE ($1::bigint IS NULL OR position < $1::bigint) AND ($2::text IS NULL OR state = $2)
    AND ($3::text IS NULL OR $3 = ANY (scenarios))
  ORDER BY position DESC LIMIT $4::int`;

const POSITION = "SELECT position FROM abeval.series WHERE series_id = $1";

export class PostgresSeries implements SharedSeriesStore, AsyncDisposable {
  readonly #database: PostgresDatabase;
  readonly #flusher: Flusher;
  readonly #rows: SeriesRows;
  readonly #sweep: () => Promise<void>;
  readonly #unsaved = new UnsavedEnds<SeriesRecord>((record) => this.#write(record));

  constructor(database: PostgresDatabase, flusher: Flusher, { me, sweep }: Owner) {
    this.#database = database;
    this.#flusher = flusher;
    this.#rows = seriesRows(me);
    this.#sweep = sweep;
  }

  async create(record: SeriesRecord, key?: RequestKey): Promise<boolean> {
    return await this.#flusher.write(({ sql }) =>
      beginOnce(sql, key, record.series_id, () => runSteps(sql, this.#rows.create(record))),
    );
  }

  async update(record: SeriesRecord): Promise<void> {
    const { series_id, state } = record;
    try {
      await this.#write(record);
      this.#unsaved.drop(series_id);
    } catch (error) {
      if (state !== "running" && isLoss(error)) this.#unsaved.keep(series_id, record);
      throw error;
    }
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    await this.#sweep();
    await this.#unsaved.try();
    return await this.#flushed(() => this.#rows.take(series_id));
  }

  async steal(series_id: string): Promise<SeriesRecord | undefined> {
    return await this.#flushed(() => this.#rows.steal(series_id));
  }

  async read(series_id: string): Promise<SeriesRecord | undefined> {
    const read = (sql: Sql) => runSteps(sql, this.#rows.read(series_id));
    return this.#unsaved.get(series_id) ?? (await this.#database.read(read));
  }

  async counts(series_id: string): Promise<TrialCounts> {
    return await this.#database.read((sql) => countTrials(sql, series_id));
  }

  async keep(results: StoredResults): Promise<StoredResults> {
    return await this.#flushed(() => this.#rows.keep(results));
  }

  async results(series_id: string): Promise<StoredResults | undefined> {
    return await this.#database.read((sql) => runSteps(sql, this.#rows.results(series_id)));
  }

  async ledger(stored: StoredSeries): Promise<LedgerCounts> {
    return await this.#database.read((sql) => runSteps(sql, this.#rows.ledger(stored)));
  }

  async list(request: SeriesListRequest = {}, failed?: ReadonlySet<string>): Promise<readonly SeriesListing[]> {
    return await this.#database.read((sql) => readSeriesRows(sql, request, failed));
  }

  /** What dead processes ran and no queue brings back is interrupted, and free to be taken. */
  async interruptDead(at: string): Promise<void> {
    await this.#flusher.write(({ sql }) => interruptDeadSeries(sql, at));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#unsaved.try();
    this.#unsaved[Symbol.dispose]();
  }

  async #write(record: SeriesRecord): Promise<void> {
    await this.#flushed(() => this.#rows.update(record));
  }

  #flushed<T>(steps: () => SqlSteps<T>): Promise<T> {
    return this.#flusher.write(({ sql }) => runSteps(sql, steps()));
  }
}

/** Newest first, without rows that are damaged. @throws Failure `unknown_series` for `before` */
async function readSeriesRows(
  sql: Sql,
  request: SeriesListRequest,
  failed?: ReadonlySet<string>,
): Promise<readonly SeriesListing[]> {
  const { scenario = null, state = null, limit = null, before } = request;
  const position = before === undefined ? null : await positionOf(sql, before);
  const rows = await ask<{ series: string }>(sql, LIST, [position, state, scenario, limit]);
  const listings: SeriesListing[] = [];
  const pace = new Pace();
  for (const { series } of rows) {
    const record = parsedSeries(series);
    if (record) listings.push(seriesListingOf(record, failed));
    await pace.bytes(READ_LIKE * series.length);
  }
  return listings;
}

async function positionOf(sql: Sql, series_id: string): Promise<string> {
  const [row] = await ask<{ position: string }>(sql, POSITION, [series_id]);
  if (row === undefined) throw unknownSeries(series_id);
  return row.position;
}

async function countTrials(sql: Sql, series_id: string): Promise<TrialCounts> {
  const [row] = await ask<TrialCounts>(sql, COUNTS, [series_id]);
  return row ?? { trials: 0, lost: 0 };
}

/** What dead processes ran and no queue brings back is interrupted, and free to be taken. */
async function interruptDeadSeries(sql: Sql, at: string): Promise<void> {
  for (const { series_id, state, series } of await ask<Dead>(sql, DEAD)) {
    const stored = state === "running" ? parsedSeries(series) : undefined;
    const record = stored && !isResults(stored) ? stored : undefined;
    // One that was taken and has not been written since has not run: it stays as it is.
    const left: SeriesRecord | undefined = record && { ...record, state: "interrupted", finished_at: at };
    await ask(sql, RELEASE, [series_id, left?.state ?? state, left ? JSON.stringify(left) : series]);
  }
}

interface Dead {
  readonly series_id: string;
  readonly state: string;
  readonly series: string;
}

const COUNTS = `SELECT count(*)::int AS trials,
    (count(*) FILTER (WHERE ended AND (state <> 'completed' OR outcome IS NULL OR outcome = 'invalid')))::int AS lost
  FROM abeval.sessions WHERE series_id = $1`;

const DEAD = `SELECT series_id, state, series FROM abeval.series
  WHERE owner IS NOT NULL AND NOT queued AND NOT ${isAlive("owner")} FOR UPDATE SKIP LOCKED`;

const RELEASE = "UPDATE abeval.series SET owner = NULL, state = $2, series = $3 WHERE series_id = $1";
