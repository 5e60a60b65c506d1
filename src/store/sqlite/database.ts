import { Database } from "bun:sqlite";
import { closeSync, openSync, statSync } from "node:fs";
import { errorCode, Failure } from "../../domain/failure.ts";
import type { SqlAnswer, SqlSteps } from "../sql.ts";
import { ADD_LISTED_COLUMNS, ADD_SERIES_LEDGER, ADD_USERS, missingColumns } from "./listed-columns.ts";

/** SQLite as Bun has it; nothing else here names it. */
export { Database };

/** Runs steps at once. What writes belongs in a transaction. */
export function runSteps<T>(database: Database, steps: SqlSteps<T>): T {
  let step = steps.next();
  while (!step.done) {
    const statement = database.query(step.value.text.replaceAll("@", ""));
    const values = { ...step.value.values } as Record<string, string | number | null>; // no table here has others
    step = steps.next(
      statement.columnNames.length > 0 ? withCount(statement.all(values)) : written(statement.run(values)),
    );
  }
  return step.value;
}

const withCount = (rows: readonly unknown[], count = rows.length): SqlAnswer => Object.assign(rows, { count });

const written = ({ changes }: { readonly changes: number }) => withCount([], changes);

/** "abev": marks the file as ours. */
const APPLICATION_ID = 0x61626576;

/** One entry per schema version; entry n takes a database from version n to n + 1. Closed: one more shuts out the version before. */
const MIGRATIONS = [
  `CREATE TABLE sessions (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     session_id TEXT NOT NULL UNIQUE,
     scenario TEXT NOT NULL,
     state TEXT NOT NULL,
     owner TEXT,
     copied INTEGER NOT NULL DEFAULT 0,
     listing TEXT NOT NULL,
     outcome TEXT NOT NULL
   ) STRICT;
   CREATE INDEX sessions_by_scenario ON sessions (scenario, position);
   CREATE INDEX sessions_by_state ON sessions (state, position);
   CREATE INDEX sessions_owned ON sessions (owner) WHERE owner IS NOT NULL;
   CREATE INDEX sessions_uncopied ON sessions (copied) WHERE copied = 0;
   CREATE TABLE decisions (
     session_id TEXT NOT NULL,
     arm_id TEXT NOT NULL,
     seq INTEGER NOT NULL,
     decision TEXT NOT NULL,
     PRIMARY KEY (session_id, arm_id, seq)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE verdicts (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     session_id TEXT NOT NULL,
     verdict TEXT NOT NULL
   ) STRICT;
   CREATE INDEX verdicts_by_session ON verdicts (session_id, position);`,
  `CREATE TABLE spending (
     id TEXT PRIMARY KEY,
     day TEXT NOT NULL,
     usd REAL NOT NULL,
     owner TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX spending_by_day ON spending (day);
   CREATE INDEX spending_owned ON spending (owner) WHERE owner IS NOT NULL;`,
  // A session becomes a log: what was stored of it whole, its decisions, its later verdicts. What is no JSON is taken
  // over as it is, so that it is refused when it is read, and nothing else with it.
  `CREATE TABLE entries (
     session_id TEXT NOT NULL,
     n INTEGER NOT NULL,
     attempt INTEGER NOT NULL,
     entry TEXT NOT NULL,
     PRIMARY KEY (session_id, n)
   ) STRICT;
   INSERT INTO entries
     SELECT session_id, 1, 1, CASE WHEN json_valid(outcome)
       THEN json_object('type', 'created', 'session', json_remove(outcome, '$.decisions', '$.verdicts')) ELSE outcome END
     FROM sessions;
   INSERT INTO entries
     SELECT session_id, 1 + row_number() OVER (PARTITION BY session_id ORDER BY arm_id, seq), 1,
       CASE WHEN json_valid(decision)
         THEN json_object('type', 'decision', 'arm_id', arm_id, 'decision', json(decision)) ELSE decision END
     FROM decisions;
   INSERT INTO entries
     SELECT session_id, row_number() OVER (PARTITION BY session_id ORDER BY position)
         + (SELECT max(n) FROM entries WHERE entries.session_id = verdicts.session_id), 1,
       CASE WHEN json_valid(verdict) THEN json_object('type', 'judged', 'verdict', json(verdict)) ELSE verdict END
     FROM verdicts;
   DROP TABLE decisions;
   DROP TABLE verdicts;
   ALTER TABLE sessions DROP COLUMN outcome;
   ALTER TABLE sessions ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1;`,
  // Earlier sessions stay without a comparison: who would have judged them was not stored.
  `CREATE TABLE series (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     series_id TEXT NOT NULL UNIQUE,
     state TEXT NOT NULL,
     owner TEXT,
     series TEXT NOT NULL
   ) STRICT;
   CREATE INDEX series_owned ON series (owner) WHERE owner IS NOT NULL;
   ALTER TABLE sessions ADD COLUMN series_id TEXT;
   ALTER TABLE sessions ADD COLUMN comparison TEXT;
   ALTER TABLE sessions ADD COLUMN trial_row TEXT;
   CREATE INDEX sessions_by_series ON sessions (series_id, position) WHERE series_id IS NOT NULL;
   CREATE INDEX sessions_by_comparison ON sessions (comparison, position) WHERE comparison IS NOT NULL;
   CREATE TABLE self_tests (
     id TEXT PRIMARY KEY,
     key TEXT NOT NULL,
     created_at TEXT NOT NULL,
     self_test TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX self_tests_by_key ON self_tests (key, created_at);`,
  ADD_LISTED_COLUMNS,
  `CREATE TABLE request_keys (
     key TEXT PRIMARY KEY,
     request TEXT NOT NULL,
     id TEXT NOT NULL,
     at TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX request_keys_by_time ON request_keys (at);`,
  ADD_USERS,
  // What sessions share of the text in which words are searched, each text once, and who has it. Sessions below `texts_from`
  // were stored before, and have none yet.
  `CREATE TABLE texts (text_id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
   CREATE TABLE session_texts (
     text_id INTEGER NOT NULL,
     position INTEGER NOT NULL,
     PRIMARY KEY (text_id, position)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE texts_from (position INTEGER NOT NULL) STRICT;
   INSERT INTO texts_from SELECT max(position) + 1 FROM sessions HAVING count(*) > 0;`,
];

/** The version of the tables that this program makes. */
export const SQLITE_SCHEMA = MIGRATIONS.length;

/**
 * What is committed is safe from a kill; `durable` waits for the disk itself, where SQLite's own way would stop everyone.
 * `isInUse` says whether another process has the database open.
 * @throws Failure `storage_failed` for a database that is not ours, was made by a newer version, or is an older one that
 * another process uses; nothing is changed.
 */
export function openDatabase(path: string, isInUse: () => boolean): Database {
  // Also in a directory that others may read: SQLite's own files beside it take over the mode.
  demandFile(path);
  closeSync(openSync(path, "a", 0o600));
  const database = new Database(path, { create: true, strict: true });
  try {
    waitForLocks(database, "alone");
    database.run("PRAGMA foreign_keys = ON");
    prepareSchema(database, path, isInUse);
    database.run("PRAGMA synchronous = NORMAL");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The longest wait for another process's lock at the start and at the end, when the event loop has nothing else to do. */
const ALONE_MS = 5_000;

/** The same in between, within the breath that the loop promises: writes then wait between its turns. */
const BESIDE_OTHERS_MS = 20;

/** The event loop stands still while a statement waits for a lock. */
export const waitForLocks = (database: Database, who: "alone" | "beside others") =>
  database.run(`PRAGMA busy_timeout = ${who === "alone" ? ALONE_MS : BESIDE_OTHERS_MS}`);

/** Opening a pipe would wait for its other end. */
function demandFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  throw new Failure("storage_failed", `${path}: is not a file; move it aside, or choose another directory`);
}

function prepareSchema(database: Database, path: string, isInUse: () => boolean): void {
  // Read at one moment: another process may be making the schema just now.
  const { version, application, tables } = database.transaction(() => ({
    tables: database.query("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number },
    version: pragma(database, "user_version"),
    application: pragma(database, "application_id"),
  }))();
  if (application !== APPLICATION_ID && (application !== 0 || tables.n > 0))
    throw new Failure("storage_failed", `${path}: this database belongs to another program; choose another directory`);
  if (version > MIGRATIONS.length)
    throw new Failure("storage_failed", `${path}: made by a newer abeval (schema ${version}); use that version`);
  useWriteAheadLog(database);
  if (version === MIGRATIONS.length && missingStatements(database).length === 0) return;
  database.transaction(() => migrate(database, path, isInUse)).immediate();
}

/** The one statement that does not wait for a writer's lock: two processes on a new directory would refuse each other. */
function useWriteAheadLog(database: Database): void {
  // It waits for a reader's lock all the same: the time must not be taken twice.
  database.run("PRAGMA busy_timeout = 0");
  try {
    for (let tries = ALONE_MS / LOCK_PAUSE_MS; ; tries -= 1) {
      try {
        database.run("PRAGMA journal_mode = WAL");
        return;
      } catch (error) {
        if (!errorCode(error)?.startsWith("SQLITE_BUSY") || tries <= 0) throw error;
        Bun.sleepSync(LOCK_PAUSE_MS);
      }
    }
  } finally {
    waitForLocks(database, "alone");
  }
}

const LOCK_PAUSE_MS = 10;

function migrate(database: Database, path: string, isInUse: () => boolean): void {
  // Another process may have migrated while this one waited for the lock.
  const from = pragma(database, "user_version");
  if (from > 0 && from < MIGRATIONS.length && isInUse())
    throw new Failure("storage_failed", `${path}: an older abeval uses it; stop that one, or choose another directory`);
  for (const migration of MIGRATIONS.slice(from)) database.run(migration);
  // An older version may use the database meanwhile, and goes on without them.
  for (const statement of missingStatements(database)) database.run(statement);
  database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

function missingStatements(database: Database): readonly string[] {
  const known = columnsIn(database, "sessions");
  return [
    ...missingColumns(known),
    ...(known.includes("work") ? [] : ["ALTER TABLE sessions ADD COLUMN work TEXT"]),
    ...(columnsIn(database, "series").includes("subject") ? [] : ADD_SERIES_LEDGER),
  ];
}

const columnsIn = (database: Database, table: "sessions" | "series"): readonly unknown[] =>
  database.query(`SELECT name FROM pragma_table_info('${table}')`).values().flat();

function pragma(database: Database, name: string): number {
  const row = database.query(`PRAGMA ${name}`).get() as Record<string, number>;
  return row[name] ?? 0;
}
