import { MAX_TRIALS_IN_ALL } from "../../domain/series-record.ts";
import { TrialRow } from "../../domain/trial.ts";
import type { TrialsOf } from "../store.ts";
import { storedJson } from "../stored-json.ts";
import type { Database } from "./database.ts";

/** In the order of creation, without rows that are damaged. */
export function readTrials(database: Database, of: TrialsOf): readonly TrialRow[] {
  const [column, value, limit] =
    "series_id" in of
      ? ["series_id", of.series_id, NO_LIMIT]
      : ["comparison", of.comparison, of.limit ?? MAX_TRIALS_IN_ALL];
  const sql = `SELECT session_id, trial_row FROM sessions WHERE ${column} = $value ORDER BY position LIMIT $limit`;
  const rows = database.query(sql).values({ value, limit }) as [string, string | null][];
  return rows.flatMap(([session_id, text]) => {
    const row = parsed(text);
    return row?.session_id === session_id ? [row] : [];
  });
}

/** Null for a session that is no trial, or is unknown. */
export function seriesOf(database: Database, session_id: string): string | null {
  const [row] = database.query(SERIES_OF).values({ session_id }) as [string | null][];
  return row?.[0] ?? null;
}

/** As SQLite says it. */
const NO_LIMIT = -1;

const parsed = storedJson(TrialRow);

const SERIES_OF = "SELECT series_id FROM sessions WHERE session_id = $session_id";
