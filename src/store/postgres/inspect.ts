import type { Clock } from "../../runtime/clock.ts";
import type { StoreInspection } from "../shared-store.ts";
import type { PostgresDatabase } from "./connection.ts";
import type { RunWakes } from "./run-wakes.ts";
import { ask } from "./statement.ts";

/** The median of the timed questions counts: one of them may wait for a new connection. */
const QUESTIONS = 5;

/** @throws Failure when the database is out of reach */
export async function inspectDatabase(
  database: PostgresDatabase,
  wakes: RunWakes,
  clock: Clock,
): Promise<StoreInspection> {
  const [server] = await database.read((sql) => ask<{ server_version: string }>(sql, "SHOW server_version"));
  const lacking = await database.read((sql) => ask<{ right: string }>(sql, LACKING));
  const skews: number[] = [];
  const times: number[] = [];
  for (let n = 0; n < QUESTIONS; n += 1) {
    const began = clock.ticks();
    const [row] = await database.read((sql) => ask<{ now: Date }>(sql, "SELECT clock_timestamp() AS now"));
    times.push(clock.ticks() - began);
    skews.push(clock.now().getTime() - (row?.now.getTime() ?? Number.NaN));
  }
  return {
    name: database.name,
    server_version: server?.server_version ?? "",
    lacking: lacking.map(({ right }) => right),
    latency_ms: middle(times),
    clock_ahead_ms: middle(skews) - middle(times) / 2,
    hears: await wakes.hearsItself(database),
  };
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(QUESTIONS / 2)] ?? 0;

const LACKING = `SELECT format('%s on %I.%I', privilege, schemaname, tablename) AS right
  FROM pg_tables, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
  WHERE schemaname IN ('abeval', 'abeval_queue')
    AND NOT has_table_privilege(format('%I.%I', schemaname, tablename), privilege)
  ORDER BY 1`;
