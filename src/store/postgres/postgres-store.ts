import type { Clock, Entropy } from "../../runtime/clock.ts";
import { type Ledger, sqlLedger } from "../ledger.ts";
import type { Pruning } from "../pruning.ts";
import { SqlKeys } from "../request-keys.ts";
import { type SelfTestStore, sqlSelfTests } from "../self-test-store.ts";
import type { StoreInspection } from "../shared-store.ts";
import { query, type SqlDriver } from "../sql.ts";
import type { HearLost, SessionStore } from "../store.ts";
import { PATIENCE_MS, PostgresDatabase } from "./connection.ts";
import { PostgresDrain } from "./drain.ts";
import { Flusher } from "./flusher.ts";
import { PostgresMaterials } from "./postgres-materials.ts";
import { postgresPruning } from "./postgres-pruning.ts";
import { PostgresScenarios } from "./postgres-scenarios.ts";
import { PostgresSeries } from "./postgres-series.ts";
import { PostgresSessions, type SessionsParts } from "./postgres-sessions.ts";
import { isAlive, PostgresWorkers, Presence } from "./presence.ts";
import { openQueue } from "./queue.ts";
import { RunWakes } from "./run-wakes.ts";
import { prepareSchema } from "./schema.ts";
import { ask, runSteps } from "./statement.ts";

export interface PostgresOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly version: string;
  /** Seconds: how long after its last sign of life a process counts as dead, and how long a lost connection is tried for. */
  readonly lease_s: number;
  /** Straight to the server, where the other leads to a pooler that gives each transaction another connection. */
  readonly listen_url?: string | undefined;
  readonly lost?: HearLost;
}

/**
 * Sessions in a PostgreSQL database that any number of processes share. Those of a dead process that no queue brings back end
 * as `interrupted`, here or in another process.
 * @throws Failure `invalid_request` for what is no database URL; `storage_failed` for a database that cannot be used
 */
export async function postgresStore(url: string, options: PostgresOptions): Promise<PostgresStore> {
  const { clock, entropy, version, lease_s, listen_url, lost = () => undefined } = options;
  await using opened = new AsyncDisposableStack();
  const database = opened.use(new PostgresDatabase({ url, listen_url, lease_s, version, clock }));
  await prepareSchema(database);
  const me = entropy(8);
  const wakes = opened.use(new RunWakes(me));
  await wakes.listen(database);
  const presence = opened.use(await Presence.open(database, me, version));
  const flusher = new Flusher(database, presence, wakes);
  const store = new PostgresStore({ database, flusher, wakes, me, lost }, clock, opened);
  try {
    await store.sweep();
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

export class PostgresStore extends PostgresSessions implements SessionStore {
  readonly persistent = true;
  readonly me: string;
  readonly ledger: Ledger;
  readonly series: PostgresSeries;
  readonly self_tests: SelfTestStore;
  readonly request_keys: SqlKeys;
  readonly pruning: Pruning;
  readonly database: PostgresDatabase;
  readonly flusher: Flusher;
  readonly #clock: Clock;
  readonly #wakes: RunWakes;
  readonly #opened: AsyncDisposableStack;
  readonly #closing = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;

  /** It closes `opened`, once it has been made. */
  constructor(parts: SessionsParts, clock: Clock, opened: AsyncDisposableStack) {
    super(parts);
    const { database, flusher, wakes, me } = parts;
    this.me = me;
    this.database = database;
    this.flusher = flusher;
    const driver = transactions(database);
    this.ledger = sqlLedger(driver, {
      me,
      is_open: isAlive("owner"),
      lock: () => query("SELECT pg_advisory_xact_lock(CAST($lock AS bigint))", { lock: LEDGER_LOCK }),
    });
    this.#clock = clock;
    this.#wakes = wakes;
    this.pruning = postgresPruning(database);
    this.self_tests = sqlSelfTests(driver);
    const patient: SqlDriver = {
      read: (steps) => database.read((sql) => runSteps(sql, steps()), PATIENCE_MS),
      write: (steps) => flusher.write(({ sql }) => runSteps(sql, steps())),
    };
    this.request_keys = new SqlKeys(patient, true);
    this.#opened = opened.move();
    this.#opened.defer(() => super[Symbol.asyncDispose]());
    this.series = this.#opened.use(new PostgresSeries(database, flusher, { me, sweep: () => this.sweep() }));
    this.#timer = setInterval(() => void this.sweep().catch(() => undefined), database.lease_ms).unref();
    // Figures that an earlier version did not list are unknown until then.
    void this.relist(this.#closing.signal).catch(() => undefined);
  }

  reachable(): Promise<boolean> {
    return this.database.reachable();
  }

  writable(): Promise<boolean> {
    return this.database.writable();
  }

  /** @throws Failure */
  inspect(): Promise<StoreInspection> {
    return inspectDatabase(this.database, this.#wakes, this.#clock);
  }

  /** Closes `part` before itself. */
  use<T extends Disposable | AsyncDisposable>(part: T): T {
    return this.#opened.use(part);
  }

  /** Ends what dead processes left running and no queue brings back. @throws Failure */
  async sweep(): Promise<void> {
    const at = this.#clock.now().toISOString();
    await this.series.interruptDead(at);
    await this.interruptDead(at);
    await this.request_keys.forget(at);
  }

  /** Stores first what was asked for, where that works. */
  override async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.flusher.idle();
    await this.#opened.disposeAsync();
  }

  /** Begins the same; a process that exits at once may leave its row to become stale. */
  [Symbol.dispose](): void {
    void this[Symbol.asyncDispose]();
  }
}

/** Derived from "abev"; one more than the lock of migrations. */
const LEDGER_LOCK = 0x61626577;

/** Each writer's steps are a transaction of their own. */
const transactions = (database: PostgresDatabase): SqlDriver => ({
  read: (steps) => database.read((sql) => runSteps(sql, steps())),
  write: (steps) => database.transaction((sql) => runSteps(sql, steps())),
});

interface SharedStoreOptions extends PostgresOptions {
  /** How much may wait, over all servers. */
  readonly max_queued: number;
}

/** As `postgresStore`, with the work that its processes share. @throws Failure as `postgresStore` */
export async function openSharedStore(url: string, options: SharedStoreOptions) {
  const { clock, entropy, lease_s, max_queued } = options;
  const store = await postgresStore(url, options);
  try {
    const { database, flusher, me } = store;
    const workers = store.use(new PostgresWorkers(database, me));
    const queue = store.use(await openQueue({ database, flusher, clock, me, lease_s, max_queued }));
    const materials = store.use(new PostgresMaterials(database, entropy));
    const drain = new PostgresDrain(database, clock);
    const scenarios = new PostgresScenarios(database);
    return Object.assign(store, { workers, queue, materials, drain, scenarios });
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

/** The median of the timed questions counts: one of them may wait for a new connection. */
const QUESTIONS = 5;

/** @throws Failure when the database is out of reach */
async function inspectDatabase(database: PostgresDatabase, wakes: RunWakes, clock: Clock): Promise<StoreInspection> {
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
