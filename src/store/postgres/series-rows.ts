import { Failure } from "../../domain/failure.ts";
import type { StoredResults } from "../../domain/results.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { seriesListingOf } from "../list-rows.ts";
import { notRunning } from "../store.ts";
import { isResults, keptAgain, parsedSeries, type StoredSeries } from "../stored-series.ts";
import { ask, type Sql } from "./statement.ts";

/** False when the id is taken. Without an owner it is work of the queue: whoever claims it takes it. */
export async function insertSeries(sql: Sql, record: SeriesRecord, owner: string | null): Promise<boolean> {
  const { series_id, state } = record;
  const { scenarios } = seriesListingOf(record);
  const values = [series_id, state, running(record, owner), owner === null, scenarios, JSON.stringify(record)];
  return (await ask(sql, CREATE, values)).count > 0;
}

/** @throws Failure `series_not_running` when `owner` does not run it */
export async function updateSeries(sql: Sql, record: SeriesRecord, owner: string): Promise<void> {
  const { series_id, state } = record;
  const { count } = await ask(sql, UPDATE, [series_id, state, running(record, owner), JSON.stringify(record), owner]);
  if (count === 0) throw notRunning(series_id);
}

/** Undefined when it is unknown. @throws Failure `storage_failed` for one that this version cannot read */
export async function readSeries(sql: Sql, series_id: string): Promise<SeriesRecord | undefined> {
  const stored = await readStored(sql, series_id);
  return stored && !isResults(stored) ? stored : undefined;
}

/** As `readSeries`, of a table of results. */
export async function readStoredResults(sql: Sql, series_id: string): Promise<StoredResults | undefined> {
  const stored = await readStored(sql, series_id);
  return stored && isResults(stored) ? stored : undefined;
}

export async function keepStoredResults(sql: Sql, results: StoredResults): Promise<StoredResults> {
  const kept = keptAgain(results, await readStored(sql, results.series_id));
  const { scenarios } = seriesListingOf(kept);
  await ask(sql, KEEP, [kept.series_id, kept.state, scenarios, JSON.stringify(kept)]);
  return kept;
}

async function readStored(sql: Sql, series_id: string): Promise<StoredSeries | undefined> {
  const [row] = await ask<{ series: string }>(sql, READ, [series_id]);
  if (row === undefined) return undefined;
  const stored = parsedSeries(row.series);
  if (stored?.series_id === series_id) return stored;
  throw new Failure("storage_failed", "this series was stored in a form that this version of abeval cannot read");
}

const running = ({ state }: SeriesRecord, owner: string | null) => (state === "running" ? owner : null);

const CREATE = `INSERT INTO abeval.series (series_id, state, owner, queued, scenarios, series)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;

const KEEP = `INSERT INTO abeval.series (series_id, state, owner, queued, scenarios, series)
  VALUES ($1, $2, NULL, false, $3, $4) ON CONFLICT (series_id) DO UPDATE SET series = excluded.series`;

const UPDATE = `UPDATE abeval.series SET state = $2, owner = $3, series = $4 WHERE series_id = $1 AND owner = $5`;

const READ = "SELECT series FROM abeval.series WHERE series_id = $1";
