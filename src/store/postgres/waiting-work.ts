import type { Needs, Work } from "../shared-store.ts";
import { IS_TAKEN } from "./drain.ts";
import { ask, type Sql } from "./statement.ts";

interface Head {
  readonly name: string;
  readonly priority: number;
}

/**
 * Finds the queues that hold the best of what waits: pg-boss orders one queue, not several. All that is in one has the same needs,
 * so an index gives the first few of each, and the long line behind them is not read.
 */
export async function headsIn(sql: Sql, { kind, capabilities, own }: Claimer, free: number): Promise<readonly Head[]> {
  const statement = `
    SELECT head.name, head.priority FROM abeval_queue.queue CROSS JOIN LATERAL (
      SELECT name, priority, created_on, data FROM abeval_queue.job
      WHERE job.name = queue.name AND state < 'active' AND NOT blocked AND start_after <= now()
      ORDER BY priority DESC, created_on LIMIT $3::int) AS head
    WHERE ${IS_TAKEN} AND queue.name LIKE $1 || '-%' AND head.data->'work'->'needs' <@ $2::text::jsonb
      AND ($4::text IS NULL OR head.data->'work'->'needs' @> to_jsonb($4::text) OR NOT EXISTS (
        SELECT FROM abeval.workers AS other WHERE slots > 0 AND seen > now() - make_interval(secs => lease_s)
          AND $4 <> ALL (capabilities) AND head.data->'work'->'needs' <@ to_jsonb(capabilities)))
    ORDER BY head.priority DESC, head.created_on LIMIT $3::int`;
  return await ask(sql, statement, [kind, JSON.stringify(capabilities), free, own ?? null]);
}

/** As `WorkQueue.claim` has them. */
interface Claimer {
  readonly kind: Work["kind"];
  readonly capabilities: Needs;
  readonly own: string | undefined;
}

/** Pieces of one name that may wait in one priority before they lose their order. */
const TURNS = 2 ** 24;

/** What an earlier version sent has a priority below this. */
const LEAST = 64;

/**
 * The library's priority for one more piece of a name: behind the last that it has waiting in the queue, and not before the turn
 * that is next there. So the library's own order gives each name its turn, and what nobody can do holds up no other queue.
 * `rank` is a small number; higher ones go first.
 */
export async function priorityOf(sql: Sql, { queue, rank, user }: Place): Promise<number> {
  const [low, top] = [rank * TURNS + LEAST, firstOf(rank)];
  const [line] = await ask<{ now: number | null; last: number | null }>(sql, LINE, [low, top, user ?? null, queue]);
  return Math.max(low, line?.last == null ? (line?.now ?? top) : line.last - 1);
}

/** Before all others of the rank. */
export const firstOf = (rank: number) => (rank + 1) * TURNS - 1;

interface Place {
  readonly queue: string;
  readonly rank: number;
  readonly user: string | undefined;
}

const LINE = `SELECT
    coalesce(max(priority) FILTER (WHERE state < 'active' AND name = $4),
      least(min(priority) FILTER (WHERE state = 'active'), max(priority) FILTER (WHERE state < 'active'))) AS now,
    min(priority) FILTER (WHERE state < 'active' AND name = $4 AND group_id IS NOT DISTINCT FROM $3) AS last
  FROM abeval_queue.job WHERE state <= 'active' AND priority BETWEEN $1::int AND $2::int`;

/** What an earlier version sent has its rank as its priority: it goes first of its rank. */
export async function rankEarlier(sql: Sql): Promise<void> {
  const statement = `UPDATE abeval_queue.job SET priority = (priority + 1) * ${TURNS} - 1
    WHERE state <= 'active' AND priority < ${LEAST}`;
  await ask(sql, statement);
}
