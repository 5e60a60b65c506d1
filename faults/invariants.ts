import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isFinal, type SessionOutcome } from "../src/domain/session.ts";
import { systemClock, systemEntropy } from "../src/runtime/clock.ts";
import { readSession } from "../src/store/read-session.ts";
import { sqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { hold } from "./campaign.ts";

/**
 * Checks a state directory that no process uses any more: the database is sound, and after the next start every session is
 * complete or marked, with an equal JSON copy. Gives the sessions, newest first.
 * @throws Error with everything that does not hold
 */
export async function checkStateDirectory(stateDir: string): Promise<readonly SessionOutcome[]> {
  checkDatabase(stateDir);
  const outcomes = await reopen(stateDir);
  const problems = outcomes.flatMap(problemsOf);
  hold(problems.length === 0, "every session whole or marked", problems.join("; "));
  checkRows(stateDir, outcomes);
  const left = readdirSync(join(stateDir, ".owners"));
  hold(left.length === 0, "nothing left of dead owners", left);
  return outcomes;
}

/** Reads the file before abeval opens it again. */
function checkDatabase(stateDir: string): void {
  const path = join(stateDir, "sessions.db");
  if (!existsSync(path)) return;
  using database = new Database(path, { readonly: true });
  const found = database.query("PRAGMA integrity_check").all();
  hold(isDeepStrictEqual(found, [{ integrity_check: "ok" }]), "integrity_check ok", found);
}

/** Opens the directory as the next start does, which writes the copies that are missing. */
async function reopen(stateDir: string): Promise<readonly SessionOutcome[]> {
  using store = sqliteStore(stateDir, systemClock, systemEntropy);
  const listed = await store.list();
  const copies = new Map(readdirSync(join(stateDir, "sessions")).map((name) => [name, readCopy(stateDir, name)]));
  const outcomes: SessionOutcome[] = [];
  for (const row of listed) {
    const outcome = await readSession(store, row.session_id);
    hold(outcome !== undefined, `${row.session_id} to be readable, as it is listed`);
    hold(row.state === outcome.state, `the listing of ${row.session_id} to agree with it`, row);
    const copy = copies.get(`${row.session_id}.json`);
    hold(isDeepStrictEqual(copy, outcome), `the JSON copy of ${row.session_id} to equal the database`, copy ?? "none");
    outcomes.push(outcome);
  }
  hold(copies.size === outcomes.length, "a copy for each session and no other file", [...copies.keys()]);
  return outcomes;
}

function readCopy(stateDir: string, name: string): unknown {
  const text = readFileSync(join(stateDir, "sessions", name), "utf8");
  try {
    return JSON.parse(text);
  } catch {
    return `torn: ${text.slice(-80)}`;
  }
}

/** What is wrong with a session that no process runs any more. */
export function problemsOf(outcome: SessionOutcome): readonly string[] {
  const { session_id, state, verdict, failure, arms, decisions, finished_at } = outcome;
  const unfinished = arms.filter(({ status }) => status === "pending" || status === "running");
  const gaps = Object.entries(decisions).filter(([, log]) => log.some(({ seq }, index) => seq !== index + 1));
  const rules: readonly (readonly [isSo: boolean, otherwise: string])[] = [
    [isFinal(state), `left in state ${state}`],
    [finished_at !== null, "has no end"],
    [unfinished.length === 0, `arms left ${unfinished.map(({ status }) => status).join()}`],
    [gaps.length === 0, `decisions with gaps: ${gaps.map(([arm]) => arm).join()}`],
    [state !== "completed" || (verdict !== null && failure === null), "completed without a verdict"],
    [state === "completed" || failure !== null, `${state} without a reason`],
    [state === "completed" || verdict === null || failure?.stage === "saving", `${state} with a verdict`],
    [failure?.code !== "internal", `failed by an internal error: ${failure?.message}`],
  ];
  return rules.flatMap(([isSo, otherwise]) => (isSo ? [] : [`${session_id} ${otherwise}`]));
}

/** Every row belongs to a session, no session has an owner, and every copy is written. */
function checkRows(stateDir: string, outcomes: readonly SessionOutcome[]): void {
  using database = new Database(join(stateDir, "sessions.db"), { readonly: true });
  const count = (sql: string) => (database.query(`SELECT count(*) AS n FROM ${sql}`).get() as { n: number }).n; // COUNT gives one row
  const strangers = "WHERE session_id NOT IN (SELECT session_id FROM sessions)";
  const found = {
    sessions: count("sessions"),
    owned: count("sessions WHERE owner IS NOT NULL"),
    uncopied: count("sessions WHERE copied = 0"),
    strange_entries: count(`entries ${strangers}`),
    gaps: count("(SELECT 1 FROM entries GROUP BY session_id HAVING max(n) <> count(*))"),
  };
  const expected = { sessions: outcomes.length, owned: 0, uncopied: 0, strange_entries: 0, gaps: 0 };
  hold(isDeepStrictEqual(found, expected), `rows ${JSON.stringify(expected)}`, found);
}
