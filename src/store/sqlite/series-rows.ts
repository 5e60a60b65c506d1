import { Failure } from "../../domain/failure.ts";
import type { StoredResults } from "../../domain/results.ts";
import type { SeriesListing } from "../../domain/series-listing.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SeriesListRequest } from "../../domain/series-request.ts";
import { Pace } from "../../runtime/pace.ts";
import { seriesListingOf } from "../list-rows.ts";
import { notRunning, stillRunning, unknownSeries } from "../store.ts";
import { isResults, keptAgain, parsedSeries, READ_LIKE, type StoredSeries } from "../stored-series.ts";
import type { Database } from "./database.ts";
import type { ProcessLease } from "./process-lease.ts";

/**
 * The rows of `series`. A series that runs is owned by its process, as a session is. What writes belongs in a transaction
 * of the caller's.
 */
export class SeriesRows {
  readonly #database: Database;
  readonly #lease: ProcessLease;

  constructor(database: Database, lease: ProcessLease) {
    this.#database = database;
    this.#lease = lease;
  }

  /** False when the id is taken. */
  create(record: SeriesRecord): boolean {
    return this.#database.query(CREATE).run(this.#row(record)).changes > 0;
  }

  /** @throws Failure `series_not_running` */
  update(record: SeriesRecord): void {
    const { changes } = this.#database.query(UPDATE).run({ ...this.#row(record), me: this.#lease.id });
    if (changes === 0) throw notRunning(record.series_id);
  }

  /** Undefined when it is unknown. @throws Failure `invalid_request` when a process owns it; `storage_failed` */
  take(series_id: string): SeriesRecord | undefined {
    const record = this.read(series_id);
    if (record === undefined) return undefined;
    const { changes } = this.#database.query(TAKE).run({ series_id, owner: this.#lease.id });
    if (changes === 0) throw stillRunning(series_id);
    return record;
  }

  /** Undefined when it is unknown. @throws Failure `storage_failed` for one that this version cannot read */
  read(series_id: string): SeriesRecord | undefined {
    const stored = this.#stored(series_id);
    return stored && !isResults(stored) ? stored : undefined;
  }

  /** As `read`, of a table of results. */
  results(series_id: string): StoredResults | undefined {
    const stored = this.#stored(series_id);
    return stored && isResults(stored) ? stored : undefined;
  }

  keep(results: StoredResults): StoredResults {
    const kept = keptAgain(results, this.#stored(results.series_id));
    this.#database.query(KEEP).run(this.#row(kept));
    return kept;
  }

  #stored(series_id: string): StoredSeries | undefined {
    const [row] = this.#database.query(READ).values({ series_id }) as [string][];
    if (row === undefined) return undefined;
    const stored = parsedSeries(row[0]);
    if (stored?.series_id === series_id) return stored;
    throw new Failure("storage_failed", "this series was stored in a form that this version of abeval cannot read");
  }

  /** Newest first, without rows that are damaged; others have their turn meanwhile. @throws Failure `unknown_series` for `before` */
  async list(
    { scenario, state, limit, before }: SeriesListRequest,
    failed?: ReadonlySet<string>,
  ): Promise<readonly SeriesListing[]> {
    const position = before === undefined ? Number.MAX_SAFE_INTEGER : this.#positionOf(before);
    const listings: SeriesListing[] = [];
    const pace = new Pace();
    for (const { series } of this.#rowsBefore(position, state)) {
      if (listings.length === limit) break;
      const record = parsedSeries(series);
      const listing = record && seriesListingOf(record, failed);
      if (listing && (scenario === undefined || listing.scenarios.includes(scenario))) listings.push(listing);
      await pace.bytes(READ_LIKE * series.length);
    }
    return listings;
  }

  /** Newest first, in pages, so that others may ask meanwhile. */
  *#rowsBefore(first: number, state: SeriesListRequest["state"]): Generator<ListedRow, void, void> {
    for (let position: number | undefined = first; position !== undefined; ) {
      const rows = this.#database.query(LIST).all({ position, state: state ?? null, page: PAGE }) as ListedRow[];
      yield* rows;
      position = rows.at(-1)?.position;
    }
  }

  /** What dead processes ran is interrupted, and free to be taken. */
  interruptDead(at: string): void {
    const owners = this.#database.query("SELECT DISTINCT owner FROM series WHERE owner IS NOT NULL").values();
    for (const [owner] of owners as [string][])
      if (!this.#lease.isAlive(owner)) this.#database.query(INTERRUPT).run({ owner, at });
  }

  #row(record: StoredSeries) {
    const { series_id, state } = record;
    return { series_id, state, owner: state === "running" ? this.#lease.id : null, series: JSON.stringify(record) };
  }

  #positionOf(series_id: string): number {
    const [row] = this.#database.query(POSITION).values({ series_id }) as [number][];
    if (row === undefined) throw unknownSeries(series_id);
    return row[0];
  }
}

const CREATE = `INSERT INTO series (series_id, state, owner, series) VALUES ($series_id, $state, $owner, $series)
  ON CONFLICT DO NOTHING`;

const KEEP = `INSERT INTO series (series_id, state, owner, series) VALUES ($series_id, $state, $owner, $series)
  ON CONFLICT (series_id) DO UPDATE SET series = excluded.series`;

const UPDATE = `UPDATE series SET state = $state, owner = $owner, series = $series
  WHERE series_id = $series_id AND owner = $me`;

const TAKE = "UPDATE series SET owner = $owner WHERE series_id = $series_id AND owner IS NULL";

const READ = "SELECT series FROM series WHERE series_id = $series_id";

const LIST = `SELECT position, series FROM series WHERE position < $position AND state = coalesce($state, state)
  ORDER BY position DESC LIMIT $page`;

interface ListedRow {
  readonly position: number;
  readonly series: string;
}

/** Rows that are read at once. One of a long table has half a megabyte. */
const PAGE = 10;

const POSITION = "SELECT position FROM series WHERE series_id = $series_id";

/** One that was taken and has not been written since has not run: it stays as it is. */
const INTERRUPT = `UPDATE series SET owner = NULL,
  state = CASE state WHEN 'running' THEN 'interrupted' ELSE state END,
  series = CASE WHEN state = 'running' AND json_valid(series)
    THEN json_set(series, '$.state', 'interrupted', '$.finished_at', $at) ELSE series END
  WHERE owner = $owner`;
