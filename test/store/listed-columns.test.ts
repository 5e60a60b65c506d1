import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { breathe } from "../../src/runtime/pace.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { stateOf } from "./state-archive.ts";

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

/** Turns of the event loop in which a store must have filled what it lacked. */
const MANY = 100;

/** The turns of every session, newest first, when all are known, or after enough time for that. */
async function turnsIn(store: ReturnType<typeof open>) {
  for (let waited = 0; ; waited += 1) {
    const rows = await store.list();
    if (waited === MANY || rows.every(({ turns }) => typeof turns === "number")) return rows.map(({ turns }) => turns);
    await breathe();
  }
}

async function turnsOfLogs(store: ReturnType<typeof open>) {
  const sessions = await Promise.all((await store.list()).map(({ session_id }) => readSession(store, session_id)));
  return sessions.map((session) => session?.arms.reduce((sum, { turns }) => sum + turns, 0));
}

test("sessions that an earlier version stored get the columns that it had not, once, from their logs", async () => {
  using state = stateOf("state-0.1.6.tar.gz");
  {
    using store = open(state.path);
    const turns = await turnsIn(store);
    expect(turns).toEqual(await turnsOfLogs(store));
    expect(Math.max(...turns.map(Number))).toBeGreaterThan(0);
    const sorted = (await store.list({ sort: "turns" })).map((row) => row.turns);
    expect(sorted).toEqual(turns.toSorted((one, other) => Number(other) - Number(one)));
  }
  using store = open(state.path);
  expect((await store.list()).every(({ turns }) => typeof turns === "number")).toBe(true);
});

test("a process of an earlier version goes on with a database that got a column, and what it writes is filled in later", async () => {
  using state = stateOf("state-0.1.6.tar.gz");
  const path = join(state.path, "sessions.db");
  open(state.path)[Symbol.dispose]();
  using older = new Database(path);
  const index = (older.query("SELECT sql FROM sqlite_schema WHERE name = 'sessions_listed'").get() as { sql: string })
    .sql;
  older.run("DROP INDEX sessions_listed");
  older.run("ALTER TABLE sessions DROP COLUMN turns");
  older.run(index.replace(", turns", ""));
  // Prepared before the column comes, as that process has its statement: it writes rows without it.
  const names = older.query("SELECT group_concat(name) FROM pragma_table_info('sessions')").values()[0]?.[0] as string;
  const values = names.replace("listing", "json_remove(listing, '$.turns')");
  const write = older.query(`INSERT OR REPLACE INTO sessions (${names}) SELECT ${values} FROM sessions
    INDEXED BY sessions_listed WHERE position > 0`);
  write.run();
  {
    using store = open(state.path);
    const known = await turnsIn(store);
    expect(known).toEqual(await turnsOfLogs(store));
    write.run();
    expect(new Set((await store.list()).map(({ turns }) => turns))).toEqual(new Set([undefined]));
    expect(await store.list({ sort: "turns" })).toHaveLength(known.length);
  }
  using store = open(state.path);
  expect(await turnsIn(store)).toEqual(await turnsOfLogs(store));
});

test("a session whose log is damaged keeps its row, and the others are filled all the same", async () => {
  using state = stateOf("state-0.1.6.tar.gz");
  open(state.path)[Symbol.dispose]();
  const { session_id } = (() => {
    using database = new Database(join(state.path, "sessions.db"));
    database.run("UPDATE sessions SET turns = NULL, listing = json_remove(listing, '$.turns')");
    const damaged = "SELECT session_id FROM sessions ORDER BY position DESC LIMIT 1";
    database.run(`UPDATE entries SET entry = '{' WHERE n = 1 AND session_id = (${damaged})`);
    return database.query(damaged).get() as { session_id: string };
  })();
  using store = open(state.path);
  await turnsIn(store);
  const unknown = (await store.list()).filter(({ turns }) => turns === undefined);
  expect(unknown.map((row) => row.session_id)).toEqual([session_id]);
});
