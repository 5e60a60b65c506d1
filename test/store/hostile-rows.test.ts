import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anOutcome } from "../outcomes.ts";
import { begin, keep } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";

const [FIRST, SECOND] = ["session-sample-20260102T030400001Z", "session-sample-20260102T030400002Z"] as const;

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

/** A state directory with two sessions, changed by hand while nobody had it open. */
async function changed(change: (database: Database) => void) {
  const directory = temporaryDirectory();
  {
    using store = open(join(directory.path, "state"));
    await keep(store, anOutcome(FIRST));
    await keep(store, anOutcome(SECOND));
  }
  using database = new Database(join(directory.path, "state/sessions.db"));
  change(database);
  return { ...directory, state: join(directory.path, "state") };
}

const NOT_ENTRIES = ["null", "5", "[]", '"created"', "{}", '{"type":"created"}', '{"type":"created","session":{}}'];

test.each(NOT_ENTRIES.flatMap((entry) => [[entry, "min"] as const, [entry, "max"] as const]))(
  "%s in a log that was left running (%s(n)) is refused when it is read, not when the program starts",
  async (entry, place) => {
    using directory = await changed((database) => {
      const sql = `UPDATE entries SET entry = ? WHERE session_id = ? AND n = (SELECT ${place}(n) FROM entries WHERE session_id = ?)`;
      database.query(sql).run(entry, FIRST, FIRST);
      database.query("UPDATE sessions SET state = 'running', owner = 'dead' WHERE session_id = ?").run(FIRST);
    });
    using store = open(directory.state);
    expect(await store.list({ limit: 1 })).toMatchObject([{ session_id: SECOND }]);
    await expect(readSession(store, FIRST)).rejects.toMatchObject({ code: "storage_failed" });
    expect(await readSession(store, SECOND)).toMatchObject({ session_id: SECOND });
  },
);

test.each(["{", "5", "null", '{"state":1}'])(
  "a row %s of the list is left out, also of a session left running",
  async (listing) => {
    using directory = await changed((database) => {
      database.query("UPDATE sessions SET listing = ?, owner = 'dead' WHERE session_id = ?").run(listing, FIRST);
      database.query("UPDATE entries SET entry = '{' WHERE session_id = ?").run(FIRST);
    });
    using store = open(directory.state);
    expect((await store.list()).map(({ session_id }) => session_id)).toEqual([SECOND]);
  },
);

test("a session whose name leads out of the directory gets no copy there", async () => {
  using directory = await changed((database) => {
    for (const table of ["sessions", "entries"])
      database.query(`UPDATE ${table} SET session_id = '../../outside' WHERE session_id = ?`).run(FIRST);
    database.run("UPDATE sessions SET copied = 0");
  });
  using _store = open(directory.state);
  expect(existsSync(join(directory.path, "outside.json"))).toBe(false);
});

test.each(["a file", "a directory"])("%s of others among the locks harms no session that runs", async (what) => {
  using directory = temporaryDirectory();
  using living = open(directory.path);
  await begin(living, anOutcome(FIRST, { state: "running" }));
  const foreign = join(directory.path, ".owners", what === "a file" ? ".DS_Store" : "old.db");
  if (what === "a file") writeFileSync(foreign, "");
  else mkdirSync(foreign);
  for (const _ of ["next", "one more"]) open(directory.path)[Symbol.dispose]();
  expect((await living.list()).map(({ state }) => state)).toEqual(["running"]);
  expect(existsSync(foreign)).toBe(true);
});
