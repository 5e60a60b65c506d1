import type { Needs, WaitingWork, Work } from "../shared-store.ts";
import { ask, type Sql } from "./connection.ts";

interface Head {
  readonly name: string;
  readonly priority: number;
}

/** Finds the queues that hold the best of what waits: pg-boss orders one queue, not several. */
export async function headsIn(
  sql: Sql,
  kind: Work["kind"],
  capabilities: Needs,
  free: number,
): Promise<readonly Head[]> {
  const statement = `
    SELECT name, priority FROM abeval_queue.job
    WHERE state < 'active' AND NOT blocked AND start_after <= now()
      AND data->'work'->>'kind' = $1 AND data->'work'->'needs' <@ $2::text::jsonb
    ORDER BY priority DESC, created_on LIMIT $3::int`;
  return await ask(sql, statement, [kind, JSON.stringify(capabilities), free]);
}

export async function waitingIn(sql: Sql): Promise<number> {
  const statement = "SELECT count(*)::int AS waiting FROM abeval_queue.job WHERE state < 'active'";
  const [row] = await ask<{ waiting: number }>(sql, statement);
  return row?.waiting ?? 0;
}

export async function waitingByNeeds(sql: Sql): Promise<readonly WaitingWork[]> {
  const statement = `SELECT data->'work'->'needs' AS needs, count(*)::int AS pieces FROM abeval_queue.job
    WHERE state < 'active' GROUP BY 1 ORDER BY 2 DESC LIMIT 100`;
  return await ask(sql, statement);
}

/** Whether there is work, waiting or running, that was offered so long ago. */
export const isWorkOlderThan = (interval: string) => `EXISTS (SELECT FROM abeval_queue.job AS one
  WHERE one.state <= 'active' AND one.created_on < now() - interval '${interval}')`;

/** Whether somebody works on it, or is to. */
export const isWorkOn = (id: string) => `EXISTS (SELECT FROM abeval_queue.job AS one
  WHERE one.state <= 'active' AND one.data->'work'->>'id' = ${id})`;
