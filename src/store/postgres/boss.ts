import type { fromBunSql, PgBoss } from "pg-boss";
import type { PostgresDatabase } from "./connection.ts";
import { codesOf } from "./database-failure.ts";
import { ask } from "./statement.ts";

/** The process that takes work over decides from its log what becomes of it: pg-boss would leave it in the queue. */
const RETRIES = 1_000_000;
const YEAR_S = 365 * 86_400;
/** Pieces of work that are done are kept for so long, for whoever looks into the database. */
const DONE_S = 3_600;
/** A coordinator runs for as long as its series; the library allows a day. */
const NO_END_S = 2 ** 31 - 1;

interface Boss {
  readonly boss: PgBoss;
  readonly adapt: typeof fromBunSql;
}

/** Makes the tables of pg-boss where they lack, and has it look after them for as long as this process lives. */
export async function startBoss({
  database,
  lease_s,
}: {
  readonly database: PostgresDatabase;
  readonly lease_s: number;
}): Promise<Boss> {
  const { PgBoss, fromBunSql } = await import("pg-boss");
  const upkeep_s = Math.max(1, Math.floor(lease_s / 5));
  const boss = new PgBoss({
    // After an outage the pool is another one.
    db: { executeSql: (text, values) => fromBunSql(database.sql).executeSql(text, values) },
    schema: "abeval_queue",
    schedule: false,
    superviseIntervalSeconds: upkeep_s,
    monitorIntervalSeconds: upkeep_s,
    maintenanceIntervalSeconds: DONE_S,
    // Work that depends on other work, of which we have none, and warnings that nobody would read.
    flowIntervalSeconds: DONE_S,
    monitorVacuum: false,
  });
  // Its upkeep runs again within seconds, on every server. Without a listener an error would end the process.
  boss.on("error", () => undefined);
  await database.write(() => boss.start().catch((error) => startAgain(boss, error)));
  return { boss, adapt: fromBunSql };
}

/** When several servers make the tables at once, one may break a unique index, which the library does not expect. The tables exist then. */
async function startAgain(boss: PgBoss, error: unknown): Promise<PgBoss> {
  if (codesOf(error).state !== "23505") throw error;
  return await boss.start();
}

/** A queue that exists stays as it is. */
export async function createJobQueue(boss: PgBoss, { sql }: PostgresDatabase, name: string): Promise<void> {
  await boss.createQueue(name, {
    policy: "exclusive",
    retryLimit: RETRIES,
    retryDelay: 0,
    retentionSeconds: YEAR_S,
    deleteAfterSeconds: DONE_S,
  });
  await ask(sql, "UPDATE abeval_queue.queue SET expire_seconds = $1::int WHERE name = $2", [NO_END_S, name]);
}
