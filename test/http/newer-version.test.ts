import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { aSeries, aTrial } from "../series-record.ts";
import { keep } from "../stored.ts";
import { aService, type TestService } from "./service.ts";

const ID = "session-sample-20260102T030405678Z";
const SERIES = "series-20260102T030405678Z-00000000";

/** A trial as `changed` left it in the state directory that the service has. */
async function withTrial(service: TestService, changed: (database: Database) => void | Promise<void>): Promise<void> {
  const { store, state_dir = "" } = service.services;
  await store.series.create(aSeries(SERIES));
  await keep(store, aTrial(ID, SERIES, 1));
  using database = new Database(join(state_dir ?? "", "sessions.db"));
  await changed(database);
}

/** Puts a field that this version does not know into what JSON holds at these paths. */
const extend = (database: Database, table: string, column: string, paths: readonly string[]) => {
  const set = paths.map((path) => `'${path}.of_the_next', 1`).join(", ");
  database.run(`UPDATE ${table} SET ${column} = json_set(${column}, ${set})`);
};

test("fields that a newer version has added keep nothing from being shown", async () => {
  await using service = aService({ persistent: true });
  const read = async (path: string) => await (await service.get(path)).json();
  let before: Promise<unknown> | undefined;
  await withTrial(service, async (database) => {
    before = read(`/api/sessions/${ID}`);
    await before;
    extend(database, "sessions", "listing", ["$", "$.arms[0]"]);
    extend(database, "sessions", "trial_row", ["$", "$.place"]);
    extend(database, "series", "series", ["$", "$.plan", "$.standing"]);
    database.run(`UPDATE entries SET entry = json_set(entry, '$.session.of_the_next', 1,
      '$.session.settings.of_the_next', 1, '$.session.arms[0].of_the_next', 1) WHERE n = 1`);
  });
  expect(await read(`/api/sessions/${ID}`)).toEqual(await before);
  expect(await read("/api/sessions")).toMatchObject([{ session_id: ID, arms: [{}, {}] }]);
  expect(JSON.stringify(await read("/api/sessions"))).not.toContain("of_the_next");
  expect(await read("/api/series")).toMatchObject([{ series_id: SERIES }]);
  expect(await read(`/api/series/${SERIES}`)).toMatchObject({ series_id: SERIES, trials: [{ session_id: ID }] });
});

test.each([
  ["a kind of entry", `INSERT INTO entries VALUES ('${ID}', 9, 1, '{"type":"of_the_next"}')`, `/api/sessions/${ID}`],
  [
    "a word in a closed list",
    `UPDATE entries SET entry = json_set(entry, '$.session.settings.sandbox', 'of_the_next') WHERE n = 1`,
    `/api/sessions/${ID}`,
  ],
  [
    "rules of series",
    "UPDATE series SET series = json_set(series, '$.plan.protocol', 'series/99')",
    `/api/series/${SERIES}`,
  ],
])("%s of a newer version is told as that: it is no fault, and nothing is changed", async (_what, change, path) => {
  await using service = aService({ persistent: true });
  await withTrial(service, (database) => void database.run(change));
  const answer = await service.get(path);
  expect({ status: answer.status, ...(await answer.json()) }).toEqual({
    status: 409,
    error: { code: "newer_version", message: expect.stringContaining("of abeval") },
  });
  expect((await service.get("/api/sessions")).status).toBe(200);
  expect(await (await service.get("/api/series")).json()).toHaveLength(1);
});

test("a run of a newer version that was left running ends as interrupted, and its log stays as it is", async () => {
  await using service = aService({ persistent: true });
  const { state_dir = "" } = service.services;
  const logOf = (database: Database) => database.query("SELECT n, entry FROM entries ORDER BY n").values();
  let before: readonly unknown[] = [];
  await withTrial(service, (database) => {
    database.run(`INSERT INTO entries VALUES ('${ID}', 9, 1, '{"type":"of_the_next"}')`);
    database.run("UPDATE sessions SET state = 'running', owner = 'dead'");
    before = logOf(database);
  });
  using next = sqliteStore(state_dir ?? "", systemClock, systemEntropy);
  expect(await next.list()).toMatchObject([{ session_id: ID, state: "interrupted" }]);
  using database = new Database(join(state_dir ?? "", "sessions.db"));
  expect(logOf(database).slice(0, before.length)).toEqual(before as never);
});

test("the version before opens the tables of this one", async () => {
  await using service = aService({ persistent: true });
  await withTrial(service, (database) =>
    expect(database.query("PRAGMA user_version").get()).toEqual({ user_version: 8 }),
  );
});
