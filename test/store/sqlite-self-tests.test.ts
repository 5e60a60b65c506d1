import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { Database } from "../../src/store/sqlite/database.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { aSelfTest } from "../outcomes.ts";
import { temporaryDirectory } from "../temporary.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS self_tests (
  id TEXT PRIMARY KEY, key TEXT NOT NULL, created_at TEXT NOT NULL, self_test TEXT NOT NULL) STRICT`;

/** A state directory whose database has the table. */
function stateDirectory() {
  const directory = temporaryDirectory();
  sqliteStore(directory.path, systemClock, systemEntropy)[Symbol.dispose]();
  const database = new Database(join(directory.path, "sessions.db"));
  database.run(TABLE);
  return { directory, database, open: () => sqliteStore(directory.path, systemClock, systemEntropy) };
}

test("a self-test outlives the process; what nobody can read is as if it were not there", async () => {
  const { directory, database, open } = stateDirectory();
  using _directory = directory;
  const [old, latest] = [
    aSelfTest({ self_test_id: "self-test-z", created_at: "2026-01-02T03:04:05.678Z" }),
    aSelfTest({ self_test_id: "self-test-a", created_at: "2026-01-03T03:04:05.678Z" }),
  ];
  {
    using store = open();
    await store.self_tests.keep("key", latest);
    await store.self_tests.keep("key", old);
  }
  database.run(
    "INSERT INTO self_tests VALUES ('self-test-odd', 'odd', '2027', '{\"no\": 1}'), ('self-test-cut', 'odd', '2025', '{')",
  );
  database.close();
  using store = open();
  expect(await store.self_tests.read("self-test-z")).toEqual(old);
  expect(await store.self_tests.latest("key")).toEqual(latest);
  const listed = await store.self_tests.list({ limit: 2 });
  expect(listed.map(({ self_test_id }) => self_test_id)).toEqual(["self-test-a", "self-test-z"]);
  expect([await store.self_tests.latest("odd"), await store.self_tests.read("self-test-cut")]).toEqual([
    undefined,
    undefined,
  ]);
});
