/** A session that some process runs, or did. `begins`: it is a run of the process before, which lost no attempt yet. */
export type OwnedRow = [session_id: string, owner: string, state: string, attempt: number, begins: 0 | 1];

/** The oldest first. A trial is begun anew by its series. */
export const OWNED = `SELECT session_id, owner, state, attempt, owner = $after AND attempt = 1 AND series_id IS NULL
  FROM sessions WHERE owner IS NOT NULL ORDER BY position`;

const interrupted = (column: string) =>
  `${column} = CASE WHEN json_valid(${column}) THEN json_set(${column}, '$.state', 'interrupted') ELSE ${column} END`;

export const DESCRIBE_DAMAGED = `UPDATE sessions SET state = 'interrupted', result = 'interrupted', owner = NULL,
  ${interrupted("listing")}, ${interrupted("trial_row")} WHERE session_id = $session_id`;
