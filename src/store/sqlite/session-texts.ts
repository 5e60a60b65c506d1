import { STATES } from "../../domain/session.ts";
import { OUTCOMES } from "../../domain/verdict.ts";
import { breathe } from "../../runtime/pace.ts";
import { beforeTime } from "../page-sessions.ts";
import { demandReader } from "../store.ts";
import type { Database } from "./database.ts";

// Words are looked for in the texts first, and mostly few sessions are left to look at: their `searched` decides.

/** A text that the session had before stays its own. */
export function addText(database: Database, session_id: string, text: string): void {
  database.query("INSERT INTO texts (text) VALUES ($text) ON CONFLICT DO NOTHING").run({ text });
  database.query(LINK).run({ session_id, text });
}

const LINK = `INSERT INTO session_texts
  SELECT text_id, position FROM texts, sessions WHERE text = $text AND session_id = $session_id ON CONFLICT DO NOTHING`;

/** Forgets texts that no session has any more. */
export function forgetTexts(database: Database): void {
  database.run("DELETE FROM session_texts WHERE position NOT IN (SELECT position FROM sessions)");
  database.run("DELETE FROM texts WHERE text_id NOT IN (SELECT text_id FROM session_texts)");
}

/** Sessions that get their texts in one turn of the event loop: some milliseconds. */
const TURN_SESSIONS = 1_000;

/** Gives their texts to sessions that have none. What is left when it is stopped waits for the next start. */
export async function addMissingTexts(database: Database, signal: AbortSignal): Promise<void> {
  const add = database.transaction(() => {
    const below = textsFrom(database);
    if (below === undefined) return false;
    const from = below - TURN_SESSIONS;
    database
      .query(`INSERT INTO texts (text) SELECT DISTINCT text FROM ${MISSING} WHERE TRUE ON CONFLICT DO NOTHING`)
      .run({ from, below });
    database
      .query(`INSERT INTO session_texts SELECT text_id, position FROM ${MISSING} JOIN texts USING (text)
      WHERE TRUE ON CONFLICT DO NOTHING`)
      .run({ from, below });
    database.query("UPDATE texts_from SET position = $from").run({ from });
    database.run("DELETE FROM texts_from WHERE position <= 0");
    return true;
  });
  while (!signal.aborted && add.immediate()) await breathe();
}

const textsFrom = (database: Database) =>
  (database.query("SELECT position FROM texts_from").get() as { position: number } | null)?.position;

/** The first word is the id; as `beforeTime` has it. */
const MISSING = `(SELECT position, rtrim(substr(searched, 1, space - 1), '0123456789tz') || substr(searched, space) AS text
  FROM (SELECT position, searched, instr(searched || ' ', ' ') AS space FROM sessions INDEXED BY sessions_listed
    WHERE position >= $from AND position < $below AND searched IS NOT NULL))`;

/** Up to so many sessions that have the words are looked at alone. With more of them a page is soon full. */
const MAX_PLACES = 5_000;

/** Texts that are looked at in one turn of the event loop: some milliseconds. */
const TURN_TEXTS = 20_000;

/**
 * The positions of all sessions that may have all of these words, and of some others. Undefined when they are too many, or
 * when the words may stand in what sessions do not share: states, outcomes, times of ids. @throws Failure `cancelled`
 */
export async function placesOf(
  database: Database,
  words: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  const shared = words
    .filter((word) => !isOfResult(word))
    .map(beforeTime)
    .filter(Boolean);
  if (shared.length === 0 || textsFrom(database) !== undefined) return undefined;
  const values = Object.fromEntries(shared.map((word, index) => [`word${index}`, word]));
  const found = `SELECT position FROM texts CROSS JOIN session_texts USING (text_id)
    WHERE text_id >= $from AND text_id < $below
      AND ${shared.map((_, index) => `instr(text, $word${index}) > 0`).join(" AND ")} LIMIT $limit`;
  const { last } = database.query("SELECT coalesce(max(text_id), 0) AS last FROM texts").get() as { last: number };
  const places: number[] = [];
  for (let from = 0; from <= last; from += TURN_TEXTS) {
    if (from > 0) await breathe();
    demandReader(signal);
    const turn = { from, below: from + TURN_TEXTS, limit: MAX_PLACES + 1 - places.length };
    places.push(...(database.query(found).values({ ...values, ...turn }) as [number][]).flat());
    if (places.length > MAX_PLACES) return undefined;
  }
  return places;
}

const isOfResult = (word: string) => [...STATES, ...OUTCOMES].some((name) => name.includes(word));
