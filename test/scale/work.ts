import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { postgresStore } from "../../src/store/postgres/postgres-store.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { answered, answersIn, idOf } from "../store/answered.ts";

describeNeeding(POSTGRES)("what arms left, in a database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = (url: string) =>
    postgresStore(url, { clock: systemClock, entropy: systemEntropy, version: "0", lease_s: 10 });

  test("of the version before is kept when it is first asked for, once, and again where it is damaged", async () => {
    const { url, sql } = await server.create();
    {
      await using store = await open(url);
      for (const n of [1, 2]) await answered(store, idOf(n), `answer ${n}`);
    }
    await sql("ALTER TABLE abeval.sessions DROP COLUMN work");
    await using store = await open(url);
    const kept = async () =>
      (await sql<{ kept: boolean }>("SELECT work IS NOT NULL AS kept FROM abeval.sessions ORDER BY session_id")).map(
        (row) => row.kept,
      );
    expect(await kept()).toEqual([false, false]);
    expect(await answersIn(store, [idOf(1)])).toEqual([[idOf(1), "answer 1"]]);
    expect(await kept()).toEqual([true, false]);
    await sql(`UPDATE abeval.sessions SET work = '{"cells": []}' WHERE session_id = '${idOf(1)}'`);
    expect(await answersIn(store, [idOf(1)])).toEqual([[idOf(1), "answer 1"]]);
    // Its log is not read any more.
    await sql(`DELETE FROM abeval.entries WHERE session_id = '${idOf(1)}'`);
    expect(await answersIn(store, [idOf(1)])).toEqual([[idOf(1), "answer 1"]]);
  });
});
