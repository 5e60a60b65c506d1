import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Failure } from "../../src/domain/failure.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { databaseAddress } from "../../src/store/postgres/database-failure.ts";
import { type PostgresOptions, type PostgresStore, postgresStore } from "../../src/store/postgres/postgres-store.ts";
import { describeNeeding } from "../needs.ts";
import { anOutcome } from "../outcomes.ts";
import { proxyTo } from "../postgres/proxy.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { keep } from "../stored.ts";

const PASSWORD = "dun%3A+geon";

const open = (url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> =>
  postgresStore(url, { clock: systemClock, entropy: systemEntropy, version: "0", lease_s: 10, ...options });

/** Why it is not opened, in words that hold no password however they are looked at. */
async function refusal(url: string, options: Partial<PostgresOptions> = {}): Promise<string> {
  const failure = await open(url, options).then(
    async (store) => {
      await store[Symbol.asyncDispose]();
      throw new Error("it was opened");
    },
    (thrown: Failure) => thrown,
  );
  expect(failure.code).toBe("storage_failed");
  expect(Bun.inspect([failure, failure.cause, failure.stack], { depth: 10 })).not.toMatch(/geon/);
  return failure.message;
}

test("the name of a database has neither its password nor what else its URL says", () => {
  expect(databaseAddress("postgresql://ann:p%40ss@db.example:6432/evals?sslmode=require&password=other").name).toBe(
    "postgres://ann@db.example:6432/evals",
  );
  for (const wrong of ["ann:p@ss", "mysql://ann:p@ss@host/db", "postgres://host/db", "postgres://"])
    expect(() => databaseAddress(wrong)).toThrow("looks like postgres://user:password@host:5432/database");
});

describeNeeding(POSTGRES)("a database of PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
    const { sql } = await server.create();
    await sql("CREATE ROLE with_password LOGIN PASSWORD 'dun:+geon'; CREATE ROLE guest LOGIN");
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("two processes that open an empty one at the same moment make its tables once", async () => {
    const { url, sql } = await server.create();
    const stores = await Promise.all([1, 2, 3].map(() => open(url)));
    expect(await sql("SELECT count(*)::int AS rows FROM abeval.meta")).toEqual([{ rows: 1 }]);
    expect(await sql("SELECT count(*)::int AS living FROM abeval.workers")).toEqual([{ living: 3 }]);
    for (const store of stores) await store[Symbol.asyncDispose]();
    expect(await sql("SELECT count(*)::int AS living FROM abeval.workers")).toEqual([{ living: 0 }]);
  });

  test("a column that lists have got since comes without a new version, and is filled from the logs", async () => {
    const { url, sql } = await server.create();
    const session = { ...anOutcome("session-sample-20260102T030405678Z", { state: "completed" }) };
    const [a, b] = session.arms;
    {
      await using store = await open(url);
      await keep(store, {
        ...session,
        arms: [
          { ...a, status: "finished", turns: 3 },
          { ...b, status: "finished", turns: 4 },
        ],
      });
    }
    const version = await sql("SELECT version FROM abeval.meta");
    await sql(`ALTER TABLE abeval.sessions DROP COLUMN turns;
      UPDATE abeval.sessions SET listing = replace(listing, '"turns":7,', '')`);
    await using store = await open(url);
    let [row] = await store.list();
    for (; row?.turns === undefined; [row] = await store.list());
    expect(row.turns).toBe(7);
    expect(await sql("SELECT turns FROM abeval.sessions")).toEqual([{ turns: 7 }]);
    expect(await sql("SELECT version FROM abeval.meta")).toEqual(version);
    expect(await sql("SELECT indexname FROM pg_indexes WHERE indexname = 'sessions_by_turns'")).toHaveLength(1);
  });

  test("one that a newer version made is refused and left as it is", async () => {
    const { name, url, sql } = await server.create();
    await sql("CREATE SCHEMA abeval; CREATE TABLE abeval.meta (version int); INSERT INTO abeval.meta VALUES (99)");
    expect(await refusal(url)).toEndWith(`/${name}: made by a newer abeval (schema 99); use that version`);
    const tables = "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'abeval'";
    expect(await sql(tables)).toEqual([{ tables: 1 }]);
  });

  test.each([
    ["other tables", "CREATE TABLE abeval.meta (key text, value text)", "abeval"],
    ["none of ours", "CREATE TABLE abeval.sessions (id int)", "abeval"],
    ["a queue of its own", "CREATE SCHEMA abeval_queue; CREATE TABLE abeval_queue.job (id int)", "abeval_queue"],
  ])("a schema of our name with %s is refused and left as it is", async (_, tables, schema) => {
    const { name, url, sql } = await server.create();
    await sql(`CREATE SCHEMA abeval; ${tables}`);
    expect(await refusal(url)).toEndWith(
      `/${name}: its schema ${schema} belongs to another program: use another database`,
    );
    expect(await sql("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname LIKE 'abeval%'")).toEqual([{ n: 1 }]);
  });

  test("what is wrong with an address is said in words", async () => {
    const { name, urlFor } = await server.create();
    const at = (user: string, database = name) => `postgres://${user}@127.0.0.1:${server.port}/${database}: `;
    expect(await refusal(urlFor(`with_password:${PASSWORD}x`))).toBe(
      `${at("with_password")}the server refuses the password of with_password`,
    );
    expect(await refusal(urlFor(`stranger:${PASSWORD}`))).toBe(
      `${at("stranger")}the server lets stranger not in: is there such a role, and does pg_hba.conf allow it?`,
    );
    expect(await refusal(urlFor(`guest:${PASSWORD}`, "nowhere"))).toBe(
      `${at("guest", "nowhere")}there is no database nowhere; create it: createdb nowhere`,
    );
    expect(await refusal(urlFor(`guest:${PASSWORD}`))).toBe(
      `${at("guest")}guest lacks rights; at the first start it needs them to create schemas: GRANT CREATE ON DATABASE ${name} TO guest`,
    );
    for (const host of ["127.0.0.1:1", "no-such-host.invalid:5432"])
      expect(await refusal(`postgres://guest:${PASSWORD}@${host}/${name}`)).toBe(
        `postgres://guest@${host}/${name}: cannot be reached (ERR_POSTGRES_CONNECTION_REFUSED); is the server running there?`,
      );
  });

  test("who has the password and the tables needs no right to create anything", async () => {
    const { url, sql, urlFor } = await server.create();
    await (await open(url))[Symbol.asyncDispose]();
    await sql(`GRANT USAGE ON SCHEMA abeval TO with_password;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA abeval TO with_password`);
    await using store = await open(urlFor(`with_password:${PASSWORD}`));
    expect(await store.list()).toEqual([]);
    const [connection] = await sql<{ seen: string }>(
      "SELECT string_agg(row_to_json(one)::text, ' ') AS seen FROM pg_stat_activity AS one",
    );
    expect(connection?.seen).not.toMatch(/geon/);
  });

  test("a server that is too old is refused by its number", async () => {
    const { sql, urlBy } = await server.create();
    const [version] = await sql<{ server_version_num: string }>("SHOW server_version_num");
    using proxy = await proxyTo(server.port);
    proxy.toClient = (bytes) =>
      Buffer.from(bytes.toString("latin1").replaceAll(version?.server_version_num ?? "", "130022"), "latin1");
    expect(await refusal(urlBy(proxy.port))).toEndWith("the server is PostgreSQL 13; abeval needs 14 or newer");
  });

  test("a database that cannot hold every text is refused", async () => {
    const { name, sql, urlFor } = await server.create();
    const latin = `${name}_latin`;
    await sql(`CREATE DATABASE ${latin} ENCODING 'LATIN1' TEMPLATE template0`);
    expect(await refusal(urlFor("abeval", latin))).toEndWith(
      "the database has the encoding LATIN1; create one with --encoding UTF8",
    );
  });

  test("notifications that go astray are noticed, as with a pooler", async () => {
    const [one, other] = [await server.create(), await server.create()];
    expect(await refusal(one.url, { listen_url: other.url })).toEndWith(
      "notifications do not arrive, as with a pooler in transaction mode; set ABEVAL_DATABASE_LISTEN_URL to the server itself",
    );
    await using store = await open(one.url, { listen_url: one.url });
    expect(await store.list()).toEqual([]);
  });
});
