import type { Database } from "bun:sqlite";
import type { SessionOutcome } from "../domain/session.ts";

/** A session as its row has it: JSON of the outcome but for the decisions and later verdicts, which have tables of their own. */
export interface SessionRow extends Pick<SessionOutcome, "session_id" | "state" | "arms"> {
  readonly text: string;
}

/** A session as it is stored: JSON of the whole outcome. */
export interface StoredSession extends Pick<SessionOutcome, "session_id" | "state"> {
  /** How many later verdicts. */
  readonly verdicts: number;
  readonly text: string;
}

/** Read back, unchecked. */
export interface ReadSession extends StoredSession {
  readonly outcome: unknown;
}

export function rowOf({ decisions: _decisions, verdicts: _verdicts, ...row }: SessionOutcome): SessionRow {
  const { session_id, state, arms } = row;
  return { session_id, state, arms, text: JSON.stringify(row) };
}

/** @throws SyntaxError when what is stored is no JSON. */
export function readSession(database: Database, session_id: string): ReadSession | undefined {
  const found = database.query("SELECT outcome FROM sessions WHERE session_id = $session_id").get({ session_id });
  if (found === null) return undefined;
  const stored = withLogs(database, rowOf(JSON.parse((found as { outcome: string }).outcome) as SessionOutcome));
  return { ...stored, outcome: JSON.parse(stored.text) };
}

/** Put together as text, since it is stored as text: no decision is parsed to be written down again. */
export function withLogs(database: Database, { session_id, state, arms, text }: SessionRow): StoredSession {
  const logs = new Map(arms.map(({ arm_id }) => [arm_id, [] as string[]]));
  for (const [arm_id = "", decision = ""] of rows(database, DECISIONS, session_id)) logs.get(arm_id)?.push(decision);
  const decisions = [...logs].map(([arm_id, log]) => `${JSON.stringify(arm_id)}:[${log.join(",")}]`).join(",");
  const verdicts = rows(database, VERDICTS, session_id).flat();
  const appended = `"decisions":{${decisions}},"verdicts":[${verdicts.join(",")}]`;
  return { session_id, state, verdicts: verdicts.length, text: `${text.slice(0, -1)},${appended}}` };
}

const DECISIONS = "SELECT arm_id, decision FROM decisions WHERE session_id = $session_id ORDER BY arm_id, seq";
const VERDICTS = "SELECT verdict FROM verdicts WHERE session_id = $session_id ORDER BY position";

const rows = (database: Database, sql: string, session_id: string) =>
  database.query(sql).values({ session_id }) as string[][];
