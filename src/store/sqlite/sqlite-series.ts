import type { StoredResults } from "../../domain/results.ts";
import type { SeriesListing } from "../../domain/series-listing.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SeriesListRequest } from "../../domain/series-request.ts";
import { Pace } from "../../runtime/pace.ts";
import { seriesListingOf } from "../list-rows.ts";
import type { RequestKey } from "../request-keys.ts";
import { parsedSeries, READ_LIKE, SeriesRows, type StoredSeries } from "../series-rows.ts";
import type { LedgerCounts, SeriesStore } from "../series-store.ts";
import { isLoss, unknownSeries } from "../store.ts";
import { type Database, runSteps } from "./database.ts";
import type { ProcessLease } from "./process-lease.ts";
import { Retries } from "./retries.ts";
import { guarded, guardedWhile } from "./storage-failure.ts";
import { beginOnce, type WriteBatch } from "./write-batch.ts";

interface SeriesParts {
  readonly database: Database;
  readonly lease: ProcessLease;
  readonly batch: WriteBatch;
  readonly stateDir: string;
  /** Resolves when what was written survives a power cut. */
  readonly synced: () => Promise<void>;
  /** Ends what dead processes left running. */
  readonly settle: () => Promise<void>;
}

export class SqliteSeries implements SeriesStore, Disposable {
  readonly #parts: SeriesParts;
  readonly #rows: SeriesRows;
  readonly #unsaved = new Retries<SeriesRecord>((record) => this.#parts.batch.now(() => this.#write(record)));

  constructor(parts: SeriesParts) {
    this.#parts = parts;
    this.#rows = new SeriesRows({ me: parts.lease.id, is_free: "owner IS NULL", beside: () => ({}) });
  }

  async create(series: SeriesRecord, key?: RequestKey): Promise<boolean> {
    const { database, batch, synced } = this.#parts;
    const create = () => runSteps(database, this.#rows.create(series)) || undefined;
    const created = await batch.write(() => beginOnce(database, key, series.series_id, create));
    if (created) await synced();
    return created === true;
  }

  async update(series: SeriesRecord): Promise<void> {
    this.#unsaved.try();
    try {
      await this.#parts.batch.write(() => this.#write(series));
    } catch (error) {
      if (series.state !== "running" && isLoss(error)) this.#unsaved.keep(series.series_id, series);
      throw error;
    }
    this.#unsaved.drop(series.series_id);
    await this.#parts.synced();
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    const { database, batch, settle } = this.#parts;
    await settle();
    this.#unsaved.try();
    return await batch.write(() => runSteps(database, this.#rows.take(series_id)));
  }

  async read(series_id: string): Promise<SeriesRecord | undefined> {
    const { database, stateDir } = this.#parts;
    return this.#unsaved.get(series_id) ?? guarded(stateDir, () => runSteps(database, this.#rows.read(series_id)));
  }

  async keep(results: StoredResults): Promise<StoredResults> {
    const { database, batch, synced } = this.#parts;
    const kept = await batch.write(() => runSteps(database, this.#rows.keep(results)));
    await synced();
    return kept;
  }

  async results(series_id: string): Promise<StoredResults | undefined> {
    const { database, stateDir } = this.#parts;
    return guarded(stateDir, () => runSteps(database, this.#rows.results(series_id)));
  }

  async ledger(stored: StoredSeries): Promise<LedgerCounts> {
    const { database, stateDir } = this.#parts;
    return guarded(stateDir, () => runSteps(database, this.#rows.ledger(stored)));
  }

  async list(query: SeriesListRequest = {}, failed?: ReadonlySet<string>): Promise<readonly SeriesListing[]> {
    const { database, stateDir } = this.#parts;
    return await guardedWhile(stateDir, () => listSeries(database, query, failed));
  }

  /** Tries once more what could not be stored. */
  [Symbol.dispose](): void {
    this.#unsaved.try();
    this.#unsaved[Symbol.dispose]();
  }

  #write(record: SeriesRecord): void {
    runSteps(this.#parts.database, this.#rows.update(record));
  }
}

/** Newest first, without rows that are damaged; others have their turn meanwhile. @throws Failure `unknown_series` for `before` */
async function listSeries(
  database: Database,
  { scenario, state, limit, before }: SeriesListRequest,
  failed?: ReadonlySet<string>,
): Promise<readonly SeriesListing[]> {
  const position = before === undefined ? Number.MAX_SAFE_INTEGER : positionOf(database, before);
  const listings: SeriesListing[] = [];
  const pace = new Pace();
  for (const { series } of rowsBefore(database, position, state)) {
    if (listings.length === limit) break;
    const record = parsedSeries(series);
    const listing = record && seriesListingOf(record, failed);
    if (listing && (scenario === undefined || listing.scenarios.includes(scenario))) listings.push(listing);
    await pace.bytes(READ_LIKE * series.length);
  }
  return listings;
}

/** Newest first, in pages, so that others may ask meanwhile. */
function* rowsBefore(
  database: Database,
  first: number,
  state: SeriesListRequest["state"],
): Generator<ListedRow, void, void> {
  for (let position: number | undefined = first; position !== undefined; ) {
    const rows = database.query(LIST).all({ position, state: state ?? null, page: PAGE }) as ListedRow[];
    yield* rows;
    position = rows.at(-1)?.position;
  }
}

function positionOf(database: Database, series_id: string): number {
  const [row] = database.query(POSITION).values({ series_id }) as [number][];
  if (row === undefined) throw unknownSeries(series_id);
  return row[0];
}

/** What dead processes ran is interrupted, and free to be taken. Belongs in a transaction. */
export function interruptDeadSeries(database: Database, lease: ProcessLease, at: string): void {
  const owners = database.query("SELECT DISTINCT owner FROM series WHERE owner IS NOT NULL").values();
  for (const [owner] of owners as [string][]) if (!lease.isAlive(owner)) database.query(INTERRUPT).run({ owner, at });
}

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
