import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { redactUrl } from "../../src/store/postgres/address.ts";
import { PostgresDatabase } from "../../src/store/postgres/connection.ts";
import { prepareSchema } from "../../src/store/postgres/schema.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";

const connect = (url: string) =>
  new PostgresDatabase({ url, listen_url: undefined, lease_s: 10, version: "0", clock: systemClock });

async function refusal(url: string): Promise<string> {
  await using database = connect(url);
  return await prepareSchema(database).then(
    () => "",
    ({ message }: Error) => message,
  );
}

test("the name of a database has neither its password nor what else its URL says", () => {
  expect(redactUrl("postgresql://ann:p%40ss@db.example:6432/evals?sslmode=require&password=other")).toBe(
    "postgres://ann@db.example:6432/evals",
  );
  for (const wrong of ["ann:p@ss", "mysql://ann:p@ss@host/db", "postgres://host/db", "postgres://"])
    expect(() => redactUrl(wrong)).toThrow("looks like postgres://user:password@host:5432/database");
});

describeNeeding(POSTGRES)("a database of PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("two processes that open an empty one at the same moment make its tables once", async () => {
    const { url, sql } = await server.create();
    await using one = connect(url);
    await using other = connect(url);
    await Promise.all([prepareSchema(one), prepareSchema(other)]);
    expect(await sql("SELECT version FROM abeval.meta")).toEqual([{ version: 1 }]);
    await prepareSchema(one);
  });

  test("one that a newer version made is refused and left as it is", async () => {
    const { url, sql } = await server.create();
    await sql("CREATE SCHEMA abeval; CREATE TABLE abeval.meta (version int); INSERT INTO abeval.meta VALUES (99)");
    expect(await refusal(url)).toMatch(/made by a newer abeval \(schema 99\); use that version$/);
    expect(await sql("SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'abeval'")).toEqual([
      { tables: 1 },
    ]);
  });
});
