import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/runtime/clock.ts";
import { PostgresDatabase } from "../../src/store/postgres/connection.ts";
import { ask } from "../../src/store/postgres/statement.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { until } from "../turns.ts";

describeNeeding(POSTGRES)("searches in a database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = (url: string) =>
    new PostgresDatabase({ url, listen_url: undefined, lease_s: 10, version: "0", clock: systemClock });

  const SLEEPING =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%' AND state = 'active'";

  test("that nobody waits for any more are ended in the database too, and leave their connections to others", async () => {
    const { url, sql } = await server.create();
    await using database = open(url);
    const gone = new AbortController();
    const asked = Array.from({ length: 6 }, () =>
      database.search((own) => ask(own, "SELECT pg_sleep(600)"), gone.signal),
    );
    await until(async () => (await sql(SLEEPING)).length === 2);
    // Others read and write meanwhile: searches hold half of the connections that read.
    expect([...(await database.read((own) => ask(own, "SELECT 1 AS one")))]).toEqual([{ one: 1 }]);
    expect([...(await database.write((own) => ask(own, "SELECT 2 AS two")))]).toEqual([{ two: 2 }]);
    gone.abort();
    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({ status: "rejected", reason: { code: "cancelled" } });
    await until(async () => (await sql(SLEEPING)).length === 0);
    expect([...(await database.search((own) => ask(own, "SELECT 3 AS three")))]).toEqual([{ three: 3 }]);
  });

  test("have a limit of time, which is told, and a process holds no more connections than it says", async () => {
    const { url, sql } = await server.create();
    await using database = open(url);
    const long = database.search(async (own) => {
      await ask(own, "SET LOCAL statement_timeout = 50");
      return await ask(own, "SELECT pg_sleep(600)");
    });
    await expect(long).rejects.toMatchObject({
      code: "overloaded",
      retryable: true,
      message: expect.stringContaining("narrow it down"),
    });
    const many = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0
        ? database.search((own) => ask(own, "SELECT 1"))
        : database.transaction((own) => ask(own, "SELECT 1")),
    );
    await Promise.all([...many, database.reachable(), database.writable()]);
    const [row] = await sql<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'abeval 0'",
    );
    expect(row?.n).toBeLessThanOrEqual(8);
    const waiting = Array.from({ length: 60 }, () => database.search((own) => ask(own, "SELECT pg_sleep(0.01)")));
    const refused = (await Promise.allSettled(waiting)).filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({
      reason: { code: "overloaded", message: "too many searches are waiting; try again" },
    });
  });
});
