import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { STATES } from "../../domain/session.ts";
import { isFinal } from "../../domain/session-state.ts";
import type { PrunableSeries, PrunableSession, Pruning } from "../pruning.ts";
import type { Database } from "./database.ts";
import { forgetTexts } from "./session-texts.ts";
import { guarded } from "./storage-failure.ts";

/** For a state directory that no other process uses: the space can then be given back. */
export function sqlitePruning(stateDir: string, database: Database): Pruning {
  return {
    async *sessions() {
      for (let after = 0; ; ) {
        const page = guarded(stateDir, () => database.query(SESSIONS).all({ after }) as SessionRow[]);
        if (page.length === 0) return;
        yield page.map(({ ended, ...row }) => ({ ...row, ended: ended === 1 }));
        after = page.at(-1)?.position ?? after;
      }
    },
    series: async () =>
      guarded(stateDir, () => database.query(SERIES).all() as Flagged<PrunableSeries>[]).map(({ ended, ...row }) => ({
        ...row,
        ended: ended === 1,
      })),
    forget: async (units) =>
      guarded(stateDir, () => {
        const list = JSON.stringify(units);
        const rows = database.query(MEMBERS).all({ list }) as { session_id: string }[];
        // A copy that is noted as missing is written again at the next start, should this process be killed before the rows go.
        database.transaction(() => database.query(UNCOPY).run({ list })).immediate();
        for (const { session_id } of rows) removeCopy(stateDir, session_id);
        return database.transaction(() => forget(database, list)).immediate();
      }),
    compact: async () => guarded(stateDir, () => compact(stateDir, database)),
  };
}

/** As SQLite has flags. */
type Flagged<T extends { readonly ended: boolean }> = Omit<T, "ended"> & { readonly ended: 0 | 1 };

type SessionRow = Flagged<PrunableSession> & { readonly position: number };

function removeCopy(stateDir: string, session_id: string): void {
  // A row of the database may bear any name.
  if (/^session-[A-Za-z0-9._-]+$/.test(session_id))
    rmSync(join(stateDir, "sessions", `${session_id}.json`), { force: true });
}

function forget(database: Database, list: string): number {
  const gone = database.query(MEMBERS).all({ list }) as { session_id: string }[];
  const sessions = JSON.stringify(gone.map(({ session_id }) => session_id));
  database.query(FORGET_SERIES).run({ list });
  database.query("DELETE FROM entries WHERE session_id IN (SELECT value FROM json_each($sessions))").run({ sessions });
  database.query("DELETE FROM sessions WHERE session_id IN (SELECT value FROM json_each($sessions))").run({ sessions });
  return gone.length;
}

function compact(stateDir: string, database: Database): number {
  forgetTexts(database);
  const { freelist_count } = database.query("PRAGMA freelist_count").get() as { freelist_count: number };
  if (freelist_count === 0) return 0;
  const size = () =>
    ["", "-wal"].reduce(
      (sum, end) => sum + (statSync(join(stateDir, `sessions.db${end}`), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  const before = size();
  database.run("VACUUM");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return Math.max(0, before - size());
}

const FINAL = STATES.filter(isFinal)
  .map((state) => `'${state}'`)
  .join(", ");

const isEnded = (row: string) => `${row}.owner IS NULL AND ${row}.state IN (${FINAL})`;

/** A size of 1 says only that there is a copy. */
const SESSIONS = `SELECT position, session_id, series_id, scenario, ${isEnded("sessions")} AS ended,
    octet_length(listing) + coalesce(octet_length(trial_row), 0) + coalesce(octet_length(work), 0) + copied
      + (SELECT coalesce(sum(octet_length(entry)), 0) FROM entries WHERE entries.session_id = sessions.session_id) AS bytes
  FROM sessions WHERE position > $after ORDER BY position LIMIT 500`;

const SERIES_IS_ENDED = `owner IS NULL AND state <> 'running'
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.series_id = series.series_id AND NOT (${isEnded("sessions")}))`;

const fieldOf = (path: string) => `CASE WHEN json_valid(series) THEN series ->> '$.${path}' END`;

const SERIES = `SELECT series_id, ${SERIES_IS_ENDED} AS ended, octet_length(series) AS bytes,
    ${fieldOf("created_at")} AS created_at, ${fieldOf("plan.baseline.series_id")} AS baseline
  FROM series`;

/** The ids of one kind in a list of units. */
const OF_KIND = (kind: "session" | "series") =>
  `(SELECT value ->> '$.id' FROM json_each($list) WHERE value ->> '$.kind' = '${kind}')`;

const GOING_SERIES = `(SELECT series_id FROM series WHERE series_id IN ${OF_KIND("series")} AND ${SERIES_IS_ENDED})`;

const FORGET_SERIES = `DELETE FROM series WHERE series_id IN ${GOING_SERIES}`;

const CHOSEN = `(series_id IN ${GOING_SERIES} OR session_id IN ${OF_KIND("session")}) AND ${isEnded("sessions")}`;

const MEMBERS = `SELECT session_id FROM sessions WHERE ${CHOSEN}`;

const UNCOPY = `UPDATE sessions SET copied = 0 WHERE ${CHOSEN}`;
