import type { Db, fromBunSql, PgBoss } from "pg-boss";
import { Failure } from "../../domain/failure.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { CreatedEntry } from "../../domain/session-entry.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { RequestKey } from "../request-keys.ts";
import type { Needs, WaitingWork, Work, WorkClaim, WorkQueue } from "../shared-store.ts";
import { notRunning } from "../store.ts";
import { createJobQueue, startBoss } from "./boss.ts";
import { PATIENCE_MS, type PostgresDatabase } from "./connection.ts";
import { demandTaking } from "./drain.ts";
import { beginOnce, type Flusher } from "./flusher.ts";
import { type Attempt, HeldClaims } from "./held-claims.ts";
import { seriesRows } from "./postgres-series.ts";
import { insertSession } from "./session-rows.ts";
import { ask, runSteps, type Sql } from "./statement.ts";
import { firstOf, headsIn, priorityOf, rankEarlier } from "./waiting-work.ts";

/** The parts of the store that the queue uses. */
interface QueueHouse {
  readonly database: PostgresDatabase;
  readonly flusher: Flusher;
  readonly clock: Clock;
  /** What this process is known by. */
  readonly me: string;
  /** Seconds, 10 to 300. */
  readonly lease_s: number;
  /** How much may wait, over all servers. */
  readonly max_queued: number;
}

/** What a job carries. */
interface Job {
  readonly work: Work;
  /** Leases that ran out before it was handed back the last time. */
  readonly lapsed?: number;
}

const CHANNEL = "abeval_work";

const NO_PATIENCE = 0;

/** Seconds after which a full queue may have room. Many wait for it. */
const QUEUE_PAUSE_S = 60;

/** How often whoever watches looks on its own. What a dead process held is announced by nobody. */
const LOOK_MS = 5_000;

/**
 * Work in Postgres, kept by pg-boss: one of its queues for each kind and set of needs. The queue says that somebody should be
 * working on something, and nothing about who may write.
 */
export async function openQueue(house: QueueHouse): Promise<PostgresQueue> {
  const { boss, adapt } = await startBoss(house);
  await house.database.write(rankEarlier);
  return new PostgresQueue(house, boss, adapt);
}

const OWNED = "SELECT FROM abeval.series WHERE series_id = $1 AND owner = $2 FOR SHARE";

class PostgresQueue implements WorkQueue, AsyncDisposable {
  readonly #house: QueueHouse;
  readonly #database: PostgresDatabase;
  readonly #boss: PgBoss;
  readonly #adapt: typeof fromBunSql;
  readonly #held: HeldClaims;
  /** Queues that are there, as far as this process knows. */
  readonly #known = new Set<string>();

  constructor(house: QueueHouse, boss: PgBoss, adapt: typeof fromBunSql) {
    this.#house = house;
    this.#database = house.database;
    this.#boss = boss;
    this.#adapt = adapt;
    // Tried once: whoever holds claims tries again until the lease is over.
    this.#held = new HeldClaims(house.clock, (queue, attempts) =>
      house.database.sign(
        async (sql) => settled(await boss.touch(queue, [...attempts], { db: adapt(sql) })),
        NO_PATIENCE,
      ),
    );
  }

  async offerSession(entry: CreatedEntry, work: Work, key?: RequestKey): Promise<boolean> {
    const begin = async (sql: Sql) => {
      // A trial of a series that runs waits with the others.
      if (!entry.session.trial) await demandTaking(sql);
      await this.#checkRoom(sql);
      if (entry.session.trial) await demandOwner(sql, entry.session.trial.series_id, this.#house.me);
      return await insertSession(sql, entry, null);
    };
    return await this.#offer(work, (sql) => beginOnce(sql, key, work.id, () => begin(sql)));
  }

  async offerSeries(record: SeriesRecord, work: Work, key?: RequestKey): Promise<boolean> {
    const begin = async (sql: Sql) => {
      await demandTaking(sql);
      return await runSteps(sql, seriesRows(this.#house.me).create(record, null));
    };
    return await this.#offer(work, (sql) => beginOnce(sql, key, work.id, () => begin(sql)));
  }

  async resumeSeries(work: Work): Promise<void> {
    await this.#offer(work, async (sql) => {
      await demandTaking(sql);
      await ask(sql, "UPDATE abeval.series SET queued = true WHERE series_id = $1", [work.id]);
      return true;
    });
  }

  async claim(kind: Work["kind"], capabilities: Needs, free: number, own?: string): Promise<readonly WorkClaim[]> {
    if (free < 1) return [];
    const heads = await this.#database.read((sql) => headsIn(sql, { kind, capabilities, own }, free));
    const claims: WorkClaim[] = [];
    for (const [queue, jobs] of Map.groupBy(heads, ({ name }) => name)) {
      const since = this.#house.clock.ticks();
      const minPriority = Math.min(...jobs.map(({ priority }) => priority));
      // Not tried again: a claim whose answer was lost comes back when its lease is over.
      const fetched = await this.#boss.fetch<Job>(queue, { batchSize: jobs.length, minPriority }).catch(() => []);
      for (const { id, retryCount, heartbeatSeconds, data } of fetched) {
        const attempt = { queue, id, retryCount, lease_s: heartbeatSeconds ?? this.#house.lease_s };
        claims.push(this.#claimed(attempt, data, since));
      }
    }
    return claims;
  }

  watch(wake: () => void): () => void {
    const timer = setInterval(wake, LOOK_MS);
    // If listening fails, the timer finds the work, only later.
    const listening = this.#database.listen(CHANNEL, wake, wake).catch(() => undefined);
    return () => {
      clearInterval(timer);
      void listening.then((unlisten) => unlisten?.());
    };
  }

  async waiting(): Promise<readonly WaitingWork[]> {
    return await this.#database.read(waitingByNeeds, PATIENCE_MS);
  }

  /** Claims that are held stay held until their lease is over. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#held[Symbol.dispose]();
    await this.#boss.stop({ graceful: false, close: false });
  }

  /** Sends the work when `begin` says so, in the same transaction. */
  async #offer(work: Work, begin: (sql: Sql) => Promise<boolean>): Promise<boolean> {
    await this.#database.write(() => this.#ensureQueue(queueOf(work)));
    return await this.#house.flusher.write(async ({ sql }) => {
      const begun = await begin(sql);
      if (begun) await this.#send(sql, { work }, 0);
      return begun;
    });
  }

  async #checkRoom(sql: Sql): Promise<void> {
    const waiting = await waitingIn(sql);
    if (waiting < this.#house.max_queued) return;
    throw new Failure("overloaded", `${waiting} runs wait already, which is as many as may; try again later`, {
      retryable: true,
      details: { retry_after_s: QUEUE_PAUSE_S },
    });
  }

  /** Work that waits or runs already is not sent twice. */
  async #send(sql: Sql, job: Job, first: 0 | 1): Promise<void> {
    const { id, user } = job.work;
    const queue = queueOf(job.work);
    const rank = 2 * job.work.priority + first;
    const priority = first === 1 ? firstOf(rank) : await priorityOf(sql, { queue, rank, user });
    const options = {
      db: this.#within(sql),
      singletonKey: id,
      priority,
      ...(user !== undefined && { group: { id: user } }),
    };
    await this.#boss.send(queue, job, { ...options, heartbeatSeconds: this.#house.lease_s });
    await ask(sql, "SELECT pg_notify($1, '')", [CHANNEL]);
  }

  /** The library's statements as part of a transaction. */
  #within(sql: Sql): Db {
    const reserve = () => Promise.reject(new Error("a transaction has one connection"));
    return this.#adapt({ unsafe: (text, values) => sql.unsafe(text, values), reserve });
  }

  async #ensureQueue(name: string): Promise<void> {
    if (this.#known.has(name)) return;
    await createJobQueue(this.#boss, this.#database, name);
    this.#known.add(name);
  }

  #claimed(attempt: Attempt, job: Job, since: number): WorkClaim {
    const { work } = job;
    const lapsed = (job.lapsed ?? 0) + attempt.retryCount;
    const { lost, release } = this.#held.hold(attempt, since);
    return {
      work,
      lapsed,
      lost,
      done: async () => {
        if (release()) await this.#database.write(() => this.#boss.complete(attempt.queue, attempt));
      },
      handBack: async () => {
        if (release()) await this.#database.transaction((sql) => this.#replace(sql, attempt, { work, lapsed }));
      },
    };
  }

  /** The library has no way back to the head of its like: the job is completed, and a new one goes before them. */
  async #replace(sql: Sql, attempt: Attempt, job: Job): Promise<void> {
    const completed = await this.#boss.complete(attempt.queue, attempt, undefined, { db: this.#within(sql) });
    if (settled(completed).length === 1) await this.#send(sql, job, 1);
  }
}

async function waitingByNeeds(sql: Sql): Promise<readonly WaitingWork[]> {
  const statement = `SELECT data->'work'->'needs' AS needs, count(*)::int AS pieces FROM abeval_queue.job
    WHERE state < 'active' GROUP BY 1 ORDER BY 2 DESC LIMIT 100`;
  return await ask(sql, statement);
}

async function waitingIn(sql: Sql): Promise<number> {
  const statement = "SELECT count(*)::int AS waiting FROM abeval_queue.job WHERE state < 'active'";
  const [row] = await ask<{ waiting: number }>(sql, statement);
  return row?.waiting ?? 0;
}

/** Until the transaction ends nobody else takes it. @throws Failure `series_not_running` when `owner` does not run it */
async function demandOwner(sql: Sql, series_id: string, owner: string): Promise<void> {
  if ((await ask(sql, OWNED, [series_id, owner])).count === 0) throw notRunning(series_id);
}

const queueOf = ({ kind, needs }: Work) => `${kind}-${sha256(JSON.stringify(needs)).slice(0, 12)}`;

/** Ids of jobs that were still ours. The library's type of its own answer has no fields. */
const settled = (response: object): readonly string[] =>
  "settled" in response && Array.isArray(response.settled) ? response.settled : [];
