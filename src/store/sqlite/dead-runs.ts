import { MAX_SILENT } from "../session-row.ts";

/** A session that some process runs, or did. `silent`: attempts that began; `begins`: it is a run of the process before. */
export type OwnedRow = [session_id: string, owner: string, state: string, silent: number, begins: 0 | 1];

/** A process may fall silent over its start: it hands its runs on so often. */
const MOST_PROCESSES = 12;

/** The oldest first. A trial is begun anew by its series. What waited in line is not to blame for the silence of a process. */
export const OWNED = `SELECT session_id, owner, state, silent,
    owner = $after AND series_id IS NULL AND silent < ${MAX_SILENT} AND attempt < ${MOST_PROCESSES}
  FROM (SELECT *, (SELECT count(DISTINCT attempt) FROM entries
      WHERE entries.session_id = sessions.session_id AND CASE WHEN json_valid(entry) THEN json_extract(entry, '$.type') END = 'stage') AS silent
    FROM sessions WHERE owner IS NOT NULL) ORDER BY position`;

const interrupted = (column: string) =>
  `${column} = CASE WHEN json_valid(${column}) THEN json_set(${column}, '$.state', 'interrupted') ELSE ${column} END`;

export const DESCRIBE_DAMAGED = `UPDATE sessions SET state = 'interrupted', result = 'interrupted', owner = NULL,
  ${interrupted("listing")}, ${interrupted("trial_row")} WHERE session_id = $session_id`;
