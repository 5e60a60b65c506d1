import { Failure } from "../../domain/failure.ts";
import { columnsWith } from "../../domain/listed-columns.ts";
import { SUBJECT_CHARS } from "../series-rows.ts";
import type { PostgresDatabase } from "./connection.ts";
import type { Sql } from "./statement.ts";

const OLDEST_SERVER = 14;

/** Derived from "abeval". Two servers that start on an empty database make its tables once. */
const MIGRATION_LOCK = 0x61626576;

/** A busy disk makes tables slowly, and nobody works on them meanwhile. */
const MIGRATION_MS = 60_000;

/** One entry per schema version; entry n takes a database from version n to n + 1. Closed: one more shuts out the version before. */
const MIGRATIONS: readonly ((longText: string) => string)[] = [
  // Texts are never jsonb, which refuses what JSON may hold (\u0000, half a surrogate pair). What is long stands apart from
  // its row, which lists read, once a row is larger than 2 kB: hence the small target.
  (longText) => `
  CREATE TABLE abeval.sessions (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id text COLLATE "C" NOT NULL UNIQUE,
    scenario text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    ended boolean NOT NULL,
    attempt int NOT NULL,
    owner text,
    queued boolean NOT NULL,
    length int NOT NULL,
    series_id text COLLATE "C",
    trial int,
    comparison text COLLATE "C",
    listing ${longText} NOT NULL,
    trial_row ${longText} NOT NULL,
    searched text COLLATE "C" NOT NULL,
    result text COLLATE "C" NOT NULL,
    outcome text COLLATE "C",
    model_a text COLLATE "C",
    model_b text COLLATE "C",
    judge text COLLATE "C",
    gap double precision,
    cost double precision,
    duration double precision,
    conflict boolean NOT NULL
  ) WITH (toast_tuple_target = 256);
  CREATE INDEX sessions_by_scenario ON abeval.sessions (scenario, position);
  CREATE INDEX sessions_by_state ON abeval.sessions (state, position);
  CREATE INDEX sessions_owned ON abeval.sessions (owner) WHERE owner IS NOT NULL;
  CREATE UNIQUE INDEX sessions_by_series ON abeval.sessions (series_id, trial) WHERE series_id IS NOT NULL;
  CREATE INDEX sessions_by_comparison ON abeval.sessions (comparison, position) WHERE comparison IS NOT NULL;
  CREATE TABLE abeval.entries (
    session_id text COLLATE "C" NOT NULL,
    n int NOT NULL,
    attempt int NOT NULL,
    kind text NOT NULL,
    entry ${longText} NOT NULL,
    PRIMARY KEY (session_id, n)
  );
  CREATE TABLE abeval.series (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    series_id text COLLATE "C" NOT NULL UNIQUE,
    state text COLLATE "C" NOT NULL,
    owner text,
    queued boolean NOT NULL,
    scenarios text[] NOT NULL,
    series ${longText} NOT NULL
  );
  CREATE INDEX series_owned ON abeval.series (owner) WHERE owner IS NOT NULL;
  CREATE TABLE abeval.spending (
    id text PRIMARY KEY,
    day text COLLATE "C" NOT NULL,
    usd double precision NOT NULL,
    owner text
  );
  CREATE INDEX spending_by_day ON abeval.spending (day);
  CREATE INDEX spending_owned ON abeval.spending (owner) WHERE owner IS NOT NULL;
  CREATE TABLE abeval.self_tests (
    id text PRIMARY KEY,
    key text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    self_test ${longText} NOT NULL
  );
  CREATE INDEX self_tests_by_key ON abeval.self_tests (key, created_at);
  CREATE TABLE abeval.workers (
    worker_id text PRIMARY KEY,
    seen timestamptz NOT NULL,
    lease_s int NOT NULL,
    version text NOT NULL,
    flushed bigint NOT NULL DEFAULT 0,
    slots int NOT NULL DEFAULT 0,
    running int NOT NULL DEFAULT 0,
    capabilities text[] NOT NULL DEFAULT '{}'
  );
  CREATE TABLE abeval.materials (
    digest text PRIMARY KEY,
    bytes bigint NOT NULL,
    chunks int NOT NULL,
    used_at timestamptz NOT NULL
  );
  CREATE TABLE abeval.material_chunks (
    digest text NOT NULL,
    n int NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (digest, n)
  );
  ALTER TABLE abeval.material_chunks ALTER data SET STORAGE EXTERNAL;`,
  // Where the extension cannot be had, a search reads the rows.
  () => `DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX sessions_searched ON abeval.sessions USING gin (searched gin_trgm_ops);
  EXCEPTION WHEN OTHERS THEN NULL;
  END $$`,
  () => `CREATE TABLE abeval.request_keys (
    key text PRIMARY KEY,
    request text NOT NULL,
    id text NOT NULL,
    at text COLLATE "C" NOT NULL
  );
  CREATE INDEX request_keys_by_time ON abeval.request_keys (at)`,
  () => `ALTER TABLE abeval.sessions ADD COLUMN asked_by text COLLATE "C";
  CREATE INDEX sessions_by_user ON abeval.sessions (asked_by, position) WHERE asked_by IS NOT NULL`,
];

/** The version of the tables that this program makes. */
export const POSTGRES_SCHEMA = MIGRATIONS.length;

const TYPES = { text: 'text COLLATE "C"', number: "double precision", flag: "boolean" } as const;

/**
 * The statements that give a database with the `known` columns those of lists that it lacks. They count as no version: an older
 * process goes on without them. `SessionRows.relist` fills them.
 */
const missingColumns = (known: readonly string[]): readonly string[] =>
  columnsWith("kept")
    .filter(([name]) => !known.includes(name))
    .flatMap(([name, { kept, sort }]) => [
      `ALTER TABLE abeval.sessions ADD COLUMN ${name} ${TYPES[kept.type]}`,
      ...(sort
        ? [`CREATE INDEX sessions_by_${name} ON abeval.sessions (${name} ${sort} NULLS LAST, position DESC)`]
        : []),
    ]);

/** What a ledger counts; earlier series are known by the names of their scenarios, and each is a comparison. No version either. */
const SERIES_LEDGER = `ALTER TABLE abeval.series ADD COLUMN subject text COLLATE "C", ADD COLUMN compared text COLLATE "C",
    ADD COLUMN claimed boolean;
  UPDATE abeval.series SET subject = left(array_to_string(scenarios, ' '), ${SUBJECT_CHARS}), compared = series_id,
    claimed = series ~ '"conclusion":"[ab]_preferred"' WHERE series_id LIKE 'series-%';
  CREATE INDEX series_by_subject ON abeval.series (subject, compared, claimed)`;

/** What arms left, for grids. No version either. */
const WORK = (longText: string) => `ALTER TABLE abeval.sessions ADD COLUMN work ${longText}`;

/** Settings of all processes on the database. It counts as no version either. */
const SETTINGS = "CREATE TABLE IF NOT EXISTS abeval.settings (name text PRIMARY KEY, value text NOT NULL)";

/** Scenarios that were sent. No version either. */
const SCENARIOS = (longText: string) => `CREATE TABLE IF NOT EXISTS abeval.scenarios (
    name text COLLATE "C" PRIMARY KEY,
    version text NOT NULL,
    commands boolean NOT NULL,
    scenario ${longText} NOT NULL
  )`;

const longTextOf = ({ lz4 }: Pick<Server, "lz4">) => (lz4 ? "text COMPRESSION lz4" : "text");

/** The statements that give a database of the newest version what it lacks beside that. */
const lackingIn = (server: Server): readonly string[] => [
  ...(server.settings ? [] : [SETTINGS]),
  ...missingColumns(server.columns),
  ...(server.ledger ? [] : [SERIES_LEDGER]),
  ...(server.columns.includes("work") ? [] : [WORK(longTextOf(server))]),
  ...(server.scenarios ? [] : [SCENARIOS(longTextOf(server))]),
];

/**
 * Looks at the server and brings its tables up to date, however many do so at once. The right to create schemas is needed
 * at the first start alone.
 * @throws Failure `storage_failed` for a database that cannot be used; nothing of it has changed
 */
export async function prepareSchema(database: PostgresDatabase): Promise<void> {
  const refuse = (why: string) => new Failure("storage_failed", `${database.name}: ${why}`);
  const server = await database.reach(lookAt);
  if (server.release < OLDEST_SERVER)
    throw refuse(`the server is PostgreSQL ${server.release}; abeval needs ${OLDEST_SERVER} or newer`);
  if (server.encoding !== "UTF8")
    throw refuse(`the database has the encoding ${server.encoding}; create one with --encoding UTF8`);
  if (server.foreign !== null)
    throw refuse(`its schema ${server.foreign} belongs to another program: use another database`);
  const newer = (version: number) => refuse(`made by a newer abeval (schema ${version}); use that version`);
  if (server.schema > MIGRATIONS.length) throw newer(server.schema);
  if (server.schema === MIGRATIONS.length && lackingIn(server).length === 0) return;
  const migrate = async (sql: Sql) => {
    await sql.unsafe("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    // Another process may have migrated while this one waited for the lock.
    const { schema } = await lookAt(sql);
    if (schema > MIGRATIONS.length) throw newer(schema);
    const steps = MIGRATIONS.slice(schema).map((step) => step(longTextOf(server)));
    if (schema === 0)
      await sql.unsafe("CREATE SCHEMA IF NOT EXISTS abeval; CREATE TABLE abeval.meta (version int NOT NULL)");
    for (const step of steps) await sql.unsafe(step);
    for (const step of lackingIn(await lookAt(sql))) await sql.unsafe(step);
    await sql.unsafe("DELETE FROM abeval.meta");
    await sql.unsafe("INSERT INTO abeval.meta VALUES ($1)", [MIGRATIONS.length]);
  };
  await database.transaction(migrate, MIGRATION_MS);
}

interface Server {
  readonly release: number;
  readonly encoding: string;
  readonly lz4: boolean;
  /** 0: it has none of our tables. */
  readonly schema: number;
  /** Whether it has the table of settings. */
  readonly settings: boolean;
  /** Whether it has the table of scenarios. */
  readonly scenarios: boolean;
  /** Whether its series have what a ledger counts. */
  readonly ledger: boolean;
  /** Of sessions. */
  readonly columns: readonly string[];
  /** A schema of our name that holds other tables. */
  readonly foreign: string | null;
}

async function lookAt(sql: Sql): Promise<Server> {
  const [server] = await sql.unsafe(LOOK);
  const {
    release,
    encoding,
    lz4,
    made,
    foreign = null,
    columns,
    settings,
    ledger,
    scenarios,
  } = server as Record<string, string>;
  const [meta] = made ? await sql.unsafe("SELECT version FROM abeval.meta") : [];
  return {
    release: Math.floor(Number(release) / 10_000),
    encoding: encoding ?? "",
    lz4: Boolean(lz4),
    schema: (meta?.version as number | undefined) ?? 0,
    ...{ settings: Boolean(settings), ledger: Boolean(ledger), scenarios: Boolean(scenarios) },
    columns: columns?.split(" ") ?? [],
    foreign,
  };
}

/** What a column of another program's `meta` is called is its own business. */
const MADE = `EXISTS (SELECT FROM pg_attribute
  JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'abeval' AND relname = 'meta' AND attname = 'version' AND atttypid = 'int4'::regtype)`;

const LOOK = `SELECT current_setting('server_version_num') AS release, current_setting('server_encoding') AS encoding,
  ${MADE} AS made, to_regclass('abeval.settings') IS NOT NULL AS settings,
  to_regclass('abeval.scenarios') IS NOT NULL AS scenarios,
  to_regclass('abeval.series_by_subject') IS NOT NULL AS ledger,
  (SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = to_regclass('abeval.sessions') AND attnum > 0) AS columns,
  (SELECT min(schemaname) FROM pg_tables WHERE schemaname IN ('abeval', 'abeval_queue') AND NOT ${MADE}) AS foreign,
  EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) AS lz4`;
