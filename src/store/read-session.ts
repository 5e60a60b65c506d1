import type { Database } from "bun:sqlite";
import type { Decision } from "../domain/decision.ts";
import type { SessionOutcome } from "../domain/session.ts";
import type { Verdict } from "../domain/verdict.ts";

/** As it is stored, unchecked. */
export function readSession(database: Database, session_id: string): SessionOutcome | undefined {
  const row = database.query("SELECT outcome FROM sessions WHERE session_id = $session_id").get({ session_id });
  if (row === null) return undefined;
  return withLogs(database, JSON.parse((row as { outcome: string }).outcome) as SessionOutcome);
}

/** With its decisions and later verdicts, which have tables of their own. */
export function withLogs(database: Database, outcome: SessionOutcome): SessionOutcome {
  const { session_id, arms } = outcome;
  const decisions: Record<string, Decision[]> = Object.fromEntries(arms.map(({ arm_id }) => [arm_id, []]));
  for (const [arm_id, decision] of rows(database, DECISIONS, session_id))
    decisions[arm_id as string]?.push(JSON.parse(decision as string));
  const verdicts = rows(database, VERDICTS, session_id).map(([verdict]) => JSON.parse(verdict as string) as Verdict);
  return { ...outcome, decisions, verdicts };
}

const DECISIONS = "SELECT arm_id, decision FROM decisions WHERE session_id = $session_id ORDER BY arm_id, seq";
const VERDICTS = "SELECT verdict FROM verdicts WHERE session_id = $session_id ORDER BY position";

const rows = (database: Database, sql: string, session_id: string) => database.query(sql).values({ session_id });
