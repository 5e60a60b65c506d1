import type { PrunableSeries, PrunableSession, Pruning } from "../pruning.ts";
import type { PostgresDatabase } from "./connection.ts";
import { isAlive } from "./presence.ts";
import { ask, type Sql } from "./statement.ts";

/** A series of 20,000 trials goes in one write. */
const LONGEST_MS = 120_000;

/** While servers run: a row that somebody writes to stays, and nobody waits for more than one write. */
export function postgresPruning(database: PostgresDatabase): Pruning {
  return {
    async *sessions() {
      for (let after = "0"; ; ) {
        const page = await database.read((sql) => ask<SessionRow>(sql, SESSIONS, [after]), LONGEST_MS);
        if (page.length === 0) return;
        yield page;
        after = page.at(-1)?.position ?? after;
      }
    },
    series: () => database.read((sql) => ask<PrunableSeries>(sql, SERIES), LONGEST_MS),
    forget: (units) => database.transaction((sql) => forget(sql, units), LONGEST_MS),
    compact: async () => null,
  };
}

type SessionRow = PrunableSession & { readonly position: string };

async function forget(sql: Sql, units: Parameters<Pruning["forget"]>[0]): Promise<number> {
  const ids = (kind: "session" | "series") => units.flatMap((unit) => (unit.kind === kind ? [unit.id] : []));
  // Locked: nobody begins a trial of it, or goes on with it, before it is gone.
  const locked = await ask<{ series_id: string }>(sql, LOCK_SERIES, [ids("series")]);
  const series = locked.map(({ series_id }) => series_id);
  await ask(sql, "DELETE FROM abeval.series WHERE series_id = ANY ($1)", [series]);
  const gone = await ask<{ session_id: string }>(sql, FORGET, [series, ids("session")]);
  const sessions = gone.map(({ session_id }) => session_id);
  await ask(sql, "DELETE FROM abeval.entries WHERE session_id = ANY ($1)", [sessions]);
  return sessions.length;
}

const SESSIONS = `SELECT position::text, session_id, series_id, scenario, ended,
    (pg_column_size(listing) + pg_column_size(trial_row) + coalesce(pg_column_size(work), 0) + pg_column_size(searched)
      + (SELECT coalesce(sum(pg_column_size(entry)), 0) FROM abeval.entries WHERE entries.session_id = sessions.session_id)
    )::float8 AS bytes
  FROM abeval.sessions WHERE position > $1::bigint ORDER BY sessions.position LIMIT 500`;

/** Whether somebody works on it, or is to. */
const isWorkOn = (id: string) => `EXISTS (SELECT FROM abeval_queue.job AS one
  WHERE one.state <= 'active' AND one.data->'work'->>'id' = ${id})`;

const IS_ENDED = `state <> 'running' AND (owner IS NULL OR NOT ${isAlive("owner")}) AND NOT ${isWorkOn("series.series_id")}
  AND NOT EXISTS (SELECT FROM abeval.sessions WHERE sessions.series_id = series.series_id AND NOT ended)`;

/** Damaged records are no JSON, so it is looked for in the text. */
const SERIES = `SELECT series_id, ${IS_ENDED} AS ended, pg_column_size(series)::float8 AS bytes,
    substring(series FROM '"created_at":"([0-9TZ:.-]+)"') AS created_at,
    substring(series FROM '"baseline":\\{[^{}]*"series_id":"(series-[0-9TZ]+-[0-9a-f]+)"') AS baseline
  FROM abeval.series`;

const LOCK_SERIES = `SELECT series_id FROM abeval.series WHERE series_id = ANY ($1) AND ${IS_ENDED} FOR UPDATE`;

const FORGET = `DELETE FROM abeval.sessions WHERE (series_id = ANY ($1) OR session_id = ANY ($2)) AND ended
  RETURNING session_id`;
