import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { trialWorkOf } from "../../src/domain/cell.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anOutcome } from "../outcomes.ts";
import { aSeries, aTrial } from "../series-record.ts";
import { begin, COMPLETED } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";
import { answered, answersIn, idOf } from "./answered.ts";
import { stateOf } from "./state-archive.ts";
import { STORES } from "./stores.ts";

describe.each(STORES)("%s store", (_name, open) => {
  test("what arms left is read of the sessions that were asked for and have ended, as the whole session has it", async () => {
    await using opened = await open();
    const { store } = opened;
    await answered(store, idOf(1), "Yes.\u0000 \ud83d");
    await answered(store, idOf(2), "No.");
    await begin(store, anOutcome(idOf(3), { state: "running" }));
    expect(await answersIn(store, [])).toEqual([]);
    expect((await answersIn(store, [idOf(2), idOf(3), "'; --"])).toSorted()).toEqual([[idOf(2), "No."]]);
    const session = await readSession(store, idOf(1));
    if (session === undefined) throw new Error("it is stored");
    const work = (await store.work([idOf(1)])).get(idOf(1));
    expect(work).toEqual(trialWorkOf(session));
    expect(work?.cells.map(({ score }) => score)).toEqual([EXAMPLES.verdict.score_a, EXAMPLES.verdict.score_b]);
  });
});

test("memory keeps the work of a series' trials as long as their rows, and no longer", async () => {
  using store = memoryStore(1);
  const series_id = "series-20260102T030400001Z-01234567";
  await store.series.create(aSeries(series_id));
  const run = await begin(store, aTrial(idOf(1), series_id, 1));
  await store.append(run, [COMPLETED], "durable");
  await answered(store, idOf(2), "later");
  await answered(store, idOf(3), "last");
  expect((await store.trials({ series_id })).length).toBe(1);
  expect([...(await store.work([idOf(1), idOf(2), idOf(3)])).keys()]).toEqual([idOf(1), idOf(3)]);
});

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

/** What the column holds. */
function columnOf(directory: string): readonly unknown[] {
  const database = new Database(join(directory, "sessions.db"));
  try {
    return database.query("SELECT work FROM sessions ORDER BY position").values().flat();
  } finally {
    database.close();
  }
}

function change(directory: string, statement: string): void {
  const database = new Database(join(directory, "sessions.db"));
  database.run(statement);
  database.close();
}

test("a database of the version before gets the column, and the work of its sessions when it is first asked for, once", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    for (const n of [1, 2]) await answered(store, idOf(n), `answer ${n}`);
  }
  change(directory.path, "ALTER TABLE sessions DROP COLUMN work");
  {
    using store = open(directory.path);
    expect(columnOf(directory.path)).toEqual([null, null]);
    expect(await answersIn(store, [idOf(1)])).toEqual([[idOf(1), "answer 1"]]);
  }
  expect(columnOf(directory.path).map((work) => work === null)).toEqual([false, true]);
  // Its log is not read any more.
  change(directory.path, `UPDATE entries SET entry = '{' WHERE session_id = '${idOf(1)}'`);
  using store = open(directory.path);
  expect(await answersIn(store, [idOf(1)])).toEqual([[idOf(1), "answer 1"]]);
});

test.each([
  ["no JSON", "'{'"],
  ["another shape", `'{"cells": []}'`],
  ["a field of a newer version beside a shape that does not fit", `'{"newer": 1}'`],
])("work that is damaged is made again from the log: %s", async (_what, text) => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  await answered(store, idOf(1), "Yes.");
  change(directory.path, `UPDATE sessions SET work = ${text}`);
  expect(await answersIn(store, [idOf(1)])).toEqual([[idOf(1), "Yes."]]);
  expect(columnOf(directory.path).map((work) => JSON.parse(String(work)).cells.length)).toEqual([2]);
});

test("a session whose log is damaged has no work, and keeps none of the others from theirs", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  for (const n of [1, 2]) await answered(store, idOf(n), `answer ${n}`);
  change(directory.path, "UPDATE sessions SET work = NULL");
  change(directory.path, `UPDATE entries SET entry = '{' WHERE session_id = '${idOf(1)}'`);
  expect(await answersIn(store, [idOf(1), idOf(2)])).toEqual([[idOf(2), "answer 2"]]);
});

test("sessions of the first version that is read have their work, too", async () => {
  using state = stateOf("state-0.1.6.tar.gz");
  using store = open(state.path);
  const ids = (await store.list()).map(({ session_id }) => session_id);
  const work = await store.work(ids);
  expect(work.size).toBe(ids.length);
  expect([...work.values()].flatMap(({ cells }) => cells).some(({ change }) => change?.includes("+++"))).toBe(true);
});
