import { MAX_TRIALS_IN_ALL } from "../../domain/series-record.ts";
import { TrialRow } from "../../domain/trial.ts";
import type { TrialsOf } from "../store.ts";
import { storedJson } from "../stored-json.ts";
import { ask, type Sql } from "./connection.ts";

/** In the order of creation, without rows that are damaged. */
export async function readTrials(sql: Sql, of: TrialsOf): Promise<readonly TrialRow[]> {
  const [statement, values] =
    "series_id" in of ? [OF_SERIES, [of.series_id]] : [OF_COMPARISON, [of.comparison, of.limit ?? MAX_TRIALS_IN_ALL]];
  const rows = await ask<{ session_id: string; trial_row: string }>(sql, statement, values);
  return rows.flatMap(({ session_id, trial_row }) => {
    const row = parsed(trial_row);
    return row?.session_id === session_id ? [row] : [];
  });
}

const parsed = storedJson(TrialRow);

const OF_SERIES = "SELECT session_id, trial_row FROM abeval.sessions WHERE series_id = $1 ORDER BY position";

const OF_COMPARISON = `SELECT session_id, trial_row FROM abeval.sessions WHERE comparison = $1
  ORDER BY position LIMIT $2::int`;
