import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { abeval, scenarioFile } from "../abeval.ts";
import { connectProgram } from "../mcp/client.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer, type TestDatabase } from "../postgres/server.ts";
import { temporaryDirectory } from "../temporary.ts";

const SECRET = "canary-3e8b51f7";
const SCENARIO = "pager-last-page";
const SERVE = ["serve", "--addr", "127.0.0.1:0", "--lease", "10"];

interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The one line, without what the program's own name is in front of. */
  readonly said: RegExp;
}

/** Of a server that has these users and databases. */
type StartOf = (database: TestDatabase) => Start;

const url = (given: string, said: RegExp): Start => ({ args: SERVE, env: { ABEVAL_DATABASE_URL: given }, said });

const STARTS: readonly (readonly [what: string, start: StartOf])[] = [
  ["what is no URL", () => url(`ann:${SECRET}@host`, /^a database URL looks like postgres:\/\//)],
  ["another scheme", () => url(`mysql://ann:${SECRET}@127.0.0.1/db`, /^a database URL looks like postgres:\/\//)],
  ["a URL without a user", () => url("postgres://127.0.0.1/db", /^a database URL looks like postgres:\/\//)],
  [
    "a host where nothing listens",
    () =>
      url(
        `postgres://ann:${SECRET}@127.0.0.1:1/db`,
        /^postgres:\/\/ann@127\.0\.0\.1:1\/db: cannot be reached .*is the server running there\?$/,
      ),
  ],
  [
    "a wrong password",
    (database) =>
      url(database.urlFor(`with_password:${SECRET}`), /: the server refuses the password of with_password$/),
  ],
  [
    "a wrong password beside the URL",
    (database) => ({
      args: [...SERVE, "--database-url", database.urlFor("with_password")],
      env: { PGPASSWORD: SECRET },
      said: /: the server refuses the password of with_password$/,
    }),
  ],
  [
    "no password where one is needed",
    (database) =>
      url(
        database.urlFor("with_password"),
        /: with_password needs a password: put it into PGPASSWORD or ABEVAL_DATABASE_URL$/,
      ),
  ],
  [
    "a user that does not exist",
    (database) => url(database.urlFor("nobody"), /: the server lets nobody not in: .*pg_hba\.conf/),
  ],
  [
    "a database that does not exist",
    (database) =>
      url(database.urlFor("abeval", "nowhere"), /: there is no database nowhere; create it: createdb nowhere$/),
  ],
  [
    "a user without rights",
    (database) => url(database.urlFor("reader"), /: reader lacks rights; .*GRANT CREATE ON DATABASE test_1 TO reader$/),
  ],
  [
    "a server that is too old",
    (database) => url(database.urlFor("ancient"), /: the server is PostgreSQL 13; abeval needs 14 or newer$/),
  ],
  [
    "tables of a newer version",
    (database) => url(database.urlFor("abeval", "newer"), /: made by a newer abeval \(schema 99\); use that version$/),
  ],
  [
    "a pooler, through which no notification comes",
    (database) => ({
      args: SERVE,
      // Notifications do not leave their database.
      env: {
        ABEVAL_DATABASE_URL: database.url,
        ABEVAL_DATABASE_LISTEN_URL: database.urlFor("abeval", "postgres"),
      },
      said: /: notifications do not arrive, as with a pooler in transaction mode; set ABEVAL_DATABASE_LISTEN_URL to the server itself$/,
    }),
  ],
  [
    "a state directory beside a database",
    (database) => ({
      args: [...SERVE, "--database-url", database.url, "--state-dir", "state"],
      said: /^--state-dir and --database-url name two places for the sessions: leave one out$/,
    }),
  ],
  [
    "a state directory beside the variable",
    (database) => ({
      args: [...SERVE, "--state-dir", "state"],
      env: { ABEVAL_DATABASE_URL: database.url },
      said: /^--state-dir and ABEVAL_DATABASE_URL name two places for the sessions: leave one out$/,
    }),
  ],
  [
    "a password on the command line",
    (database) => ({
      args: [...SERVE, "--database-url", database.urlFor(`with_password:${SECRET}`)],
      said: /^--database-url holds a password, .*put the URL into ABEVAL_DATABASE_URL, or the password into PGPASSWORD$/,
    }),
  ],
  [
    "a password as a parameter on the command line",
    (database) => ({
      args: [...SERVE, "--database-url", `${database.urlFor("with_password")}?password=${SECRET}`],
      said: /^--database-url holds a password, .*put the URL into ABEVAL_DATABASE_URL, or the password into PGPASSWORD$/,
    }),
  ],
  ["a worker without a database", () => ({ args: ["serve", "--worker"], said: /^--worker needs --database-url: / })],
  [
    "a server that takes no runs, without a database",
    () => ({ args: [...SERVE, "--max-sessions", "0"], said: /^--max-sessions 0 needs --database-url: / }),
  ],
  [
    "a worker that takes no runs",
    (database) => ({
      args: ["serve", "--worker", "--max-sessions", "0", "--database-url", database.url],
      said: /^--worker with --max-sessions 0 would run nothing: leave one out$/,
    }),
  ],
  [
    "a lease that is too short",
    (database) => ({
      args: ["serve", "--lease", "9", "--database-url", database.url],
      said: /--lease.*10/,
    }),
  ],
  [
    "a run that cannot be stored",
    (database) => ({
      args: ["run", scenarioFile(SCENARIO), "--database-url", database.urlFor("abeval", "nowhere")],
      said: /: there is no database nowhere; create it: createdb nowhere$/,
    }),
  ],
  [
    "a client of MCP",
    (database) => ({
      args: ["mcp", "--database-url", database.urlFor("abeval", "nowhere")],
      said: /: there is no database nowhere; create it: createdb nowhere$/,
    }),
  ],
];

describeNeeding(POSTGRES)("a start that cannot work", () => {
  let server: PostgresServer;
  let database: TestDatabase;
  beforeAll(async () => {
    server = await postgresServer();
    database = await server.create();
    for (const statement of USERS_AND_DATABASES) await database.sql(statement);
    const newer = database.urlFor("abeval", "newer");
    await using sql = new Bun.SQL(newer, { max: 1 });
    await sql.unsafe(
      "CREATE SCHEMA abeval; CREATE TABLE abeval.meta (version int); INSERT INTO abeval.meta VALUES (99)",
    );
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(STARTS)("%s is refused with one line, and offers nothing", async (_what, startOf) => {
    using directory = temporaryDirectory();
    const { args, env = {}, said } = startOf(database);
    const { status, stdout, stderr } = await abeval(args, { env, cwd: directory.path });
    const [line = "", ...more] = stderr.trimEnd().split("\n");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(line).toStartWith("abeval: ");
    expect(line.slice("abeval: ".length)).toMatch(said);
    expect(more.filter((text) => !text.startsWith(`See: abeval ${args[0]} --help`))).toEqual([]);
    expect(stderr).not.toContain(SECRET);
    expect(await Bun.file(join(directory.path, "state", "sessions.db")).exists()).toBe(false);
  });

  test("MCP tells that nobody takes runs, and begins none", async () => {
    const { url: own, sql } = await server.create();
    await using client = await connectProgram(["mcp", "--database-url", own]);
    const { isError, text } = await client.call("run_scenario", { scenario: SCENARIO });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringContaining("no worker is running: start `abeval serve --worker` with this database"),
    });
    expect(await sql("SELECT count(*)::int AS begun FROM abeval.sessions")).toEqual([{ begun: 0 }]);
  });
});

const USERS_AND_DATABASES: readonly string[] = [
  `CREATE ROLE with_password LOGIN PASSWORD 'right'`,
  "CREATE ROLE reader LOGIN",
  // What it asks of the server is answered as by an old one.
  `CREATE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS
    $$ SELECT CASE name WHEN 'server_version_num' THEN '130012' ELSE pg_catalog.current_setting(name) END $$`,
  "CREATE ROLE ancient LOGIN",
  "ALTER ROLE ancient SET search_path = public, pg_catalog",
  "CREATE DATABASE newer",
];
