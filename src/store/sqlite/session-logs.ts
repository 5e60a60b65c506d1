import { isFinal } from "../../domain/session.ts";
import { type TrialRow, trialRowOf } from "../../domain/trial.ts";
import { checkedFold, foldLog } from "../read-session.ts";
import { entriesBehind, readableTrials, type StoredTrial, type UnsavedEnd, whichTrials } from "../session-row.ts";
import type { LoggedEntry, TrialsOf } from "../store.ts";
import type { Database } from "./database.ts";
import type { EndedSession } from "./json-copies.ts";
import type { Retries } from "./retries.ts";

/** Logs, and the rows of trials, as this process reads them: also with an end that could not be stored yet. */
export class SessionLogs {
  readonly #database: Database;
  readonly #unsaved: Retries<UnsavedEnd>;

  constructor(database: Database, unsaved: Retries<UnsavedEnd>) {
    this.#database = database;
    this.#unsaved = unsaved;
  }

  read(session_id: string, from: number): readonly LoggedEntry[] {
    const stored = this.#stored(session_id, from);
    const unsaved = this.#unsaved.get(session_id);
    if (unsaved === undefined) return stored;
    const [[last]] = this.#database.query(LENGTH).values({ session_id }) as [[number]];
    return [...stored, ...entriesBehind(last, unsaved).filter(({ n }) => n > from)];
  }

  /** In pages, in the order of creation. */
  *trials(of: TrialsOf): Generator<readonly TrialRow[], void, void> {
    for (const page of readTrials(this.#database, of))
      yield page.map((row) => {
        const outcome = this.#unsaved.get(row.session_id) && foldLog(this.read(row.session_id, 0));
        return outcome ? trialRowOf(outcome) : row;
      });
  }

  /** The trials of the session's series, itself among them; none for a session that is no trial. */
  trialsBeside(session_id: string): readonly TrialRow[] {
    const series_id = seriesOf(this.#database, session_id);
    return series_id === null ? [] : [...this.trials({ series_id })].flat();
  }

  /** The session as stored; undefined while it runs. */
  ended(session_id: string): EndedSession | undefined {
    const log = this.#stored(session_id, 0);
    const outcome = checkedFold(log);
    // A row of the database may bear any name, and the copy's path is made of it.
    if (outcome?.session_id !== session_id || !isFinal(outcome.state)) return undefined;
    return { outcome, entries: log.length };
  }

  #stored(session_id: string, from: number): readonly LoggedEntry[] {
    const rows = this.#database.query(ENTRIES).values({ session_id, from }) as [number, number, string][];
    return rows.map(([n, attempt, entry]) => ({ n, attempt, entry: JSON.parse(entry) }));
  }
}

const ENTRIES = "SELECT n, attempt, entry FROM entries WHERE session_id = $session_id AND n > $from ORDER BY n";

const LENGTH = "SELECT coalesce(max(n), 0) FROM entries WHERE session_id = $session_id";

/** Rows of a page: reading them takes some milliseconds. */
const PAGE = 1_000;

/** Rows come in the order of creation, without damaged ones. */
function* readTrials(database: Database, of: TrialsOf): Generator<readonly TrialRow[], void, void> {
  const { column, value, limit = Number.POSITIVE_INFINITY } = whichTrials(of);
  const sql = `SELECT position, session_id, trial_row FROM sessions WHERE ${column} = $value AND position > $after ORDER BY position LIMIT $limit`;
  let [after, left] = [0, limit];
  while (left > 0) {
    const asked = Math.min(left, PAGE);
    const page = database.query(sql).all({ value, after, limit: asked }) as PlacedTrial[];
    yield readableTrials(page);
    if (page.length < asked) return;
    after = page.at(-1)?.position ?? after;
    left -= page.length;
  }
}

interface PlacedTrial extends StoredTrial {
  readonly position: number;
}

/** Null for a session that is no trial, or is unknown. */
function seriesOf(database: Database, session_id: string): string | null {
  const [row] = database.query(SERIES_OF).values({ session_id }) as [string | null][];
  return row?.[0] ?? null;
}

const SERIES_OF = "SELECT series_id FROM sessions WHERE session_id = $session_id";
