import type { SessionListing } from "../../domain/session.ts";
import type { AddedEntry, CreatedEntry, RunEntry } from "../../domain/session-entry.ts";
import type { SessionSummary, SessionSummaryRequest } from "../../domain/session-list.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import type { SelfTestStore } from "../self-test-store.ts";
import type { StoreInspection } from "../shared-store.ts";
import type { EntriesOfTrials, LoggedEntry, Run, Safety, SessionQuery, SessionStore, TrialsOf } from "../store.ts";
import { PostgresDatabase } from "./connection.ts";
import { Flusher } from "./flusher.ts";
import { inspectDatabase } from "./inspect.ts";
import { readListings, summarizeListings } from "./listings.ts";
import { PostgresLedger } from "./postgres-ledger.ts";
import { postgresSelfTests } from "./postgres-self-tests.ts";
import { PostgresSeries } from "./postgres-series.ts";
import { PostgresSessions } from "./postgres-sessions.ts";
import { Presence } from "./presence.ts";
import { RunWakes } from "./run-wakes.ts";
import { prepareSchema } from "./schema.ts";

export interface PostgresOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly version: string;
  /** Seconds: how long after its last sign of life a process counts as dead, and how long a lost connection is tried for. */
  readonly lease_s: number;
  /** Straight to the server, where the other leads to a pooler that gives each transaction another connection. */
  readonly listen_url?: string | undefined;
}

/**
 * Sessions in a PostgreSQL database that any number of processes share. Those of a dead process that no queue brings back end
 * as `interrupted`, here or in another process.
 * @throws Failure `invalid_request` for what is no database URL; `storage_failed` for a database that cannot be used
 */
export async function postgresStore(url: string, options: PostgresOptions): Promise<PostgresStore> {
  const { clock, entropy, version, lease_s, listen_url } = options;
  await using opened = new AsyncDisposableStack();
  const database = opened.use(new PostgresDatabase({ url, listen_url, lease_s, version, clock }));
  await prepareSchema(database);
  const me = entropy(8);
  const wakes = opened.use(new RunWakes(me));
  await wakes.listen(database);
  const presence = opened.use(await Presence.open(database, me, version));
  const store = new PostgresStore({ database, presence, wakes, clock }, opened);
  try {
    await store.sweep();
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

interface StoreParts {
  readonly database: PostgresDatabase;
  readonly presence: Presence;
  readonly wakes: RunWakes;
  readonly clock: Clock;
}

export class PostgresStore implements SessionStore, AsyncDisposable {
  readonly persistent = true;
  /** By this others know who owns what. */
  readonly me: string;
  readonly ledger: PostgresLedger;
  readonly series: PostgresSeries;
  readonly self_tests: SelfTestStore;
  readonly database: PostgresDatabase;
  readonly flusher: Flusher;
  readonly #clock: Clock;
  readonly #wakes: RunWakes;
  readonly #parts: AsyncDisposableStack;
  readonly #sessions: PostgresSessions;
  readonly #timer: ReturnType<typeof setInterval>;

  /** It closes `opened`, once it has been made. */
  constructor({ database, presence, wakes, clock }: StoreParts, opened: AsyncDisposableStack) {
    const me = presence.id;
    this.me = me;
    this.database = database;
    this.flusher = new Flusher(database, presence, wakes);
    this.ledger = new PostgresLedger(database, me);
    this.#clock = clock;
    this.#wakes = wakes;
    this.self_tests = postgresSelfTests(database);
    this.#parts = opened.move();
    this.#sessions = this.#parts.use(new PostgresSessions({ database, flusher: this.flusher, wakes }, me));
    this.series = this.#parts.use(new PostgresSeries(database, this.flusher, { me, sweep: () => this.sweep() }));
    this.#timer = setInterval(() => void this.sweep().catch(() => undefined), database.lease_ms).unref();
  }

  create(entry: CreatedEntry): Promise<Run | undefined> {
    return this.#sessions.create(entry);
  }

  /** Durable, whatever is asked for. */
  append(run: Run, given: readonly RunEntry[] | EntriesOfTrials, _safety: Safety): Promise<undefined> {
    return this.#sessions.append(run, given);
  }

  takeOver(session_id: string, at: string): Promise<Run | undefined> {
    return this.#sessions.takeOver(session_id, at);
  }

  add(session_ids: readonly string[], entry: AddedEntry): Promise<void> {
    return this.#sessions.add(session_ids, entry);
  }

  read(session_id: string, from = 0): Promise<readonly LoggedEntry[]> {
    return this.#sessions.read(session_id, from);
  }

  list(query: SessionQuery = {}): Promise<readonly SessionListing[]> {
    return this.database.read((sql) => readListings(sql, query));
  }

  summarize(request: SessionSummaryRequest): Promise<SessionSummary> {
    return this.database.read((sql) => summarizeListings(sql, request));
  }

  trials(of: TrialsOf): Promise<readonly TrialRow[]> {
    return this.#sessions.trials(of);
  }

  watch(session_id: string, wake: () => void): () => void {
    return this.#sessions.watch(session_id, wake);
  }

  reachable(): Promise<boolean> {
    return this.database.reachable();
  }

  /** @throws Failure */
  inspect(): Promise<StoreInspection> {
    return inspectDatabase(this.database, this.#wakes, this.#clock);
  }

  /** Closes `part` before itself. */
  use<T extends Disposable | AsyncDisposable>(part: T): T {
    return this.#parts.use(part);
  }

  /** Ends what dead processes left running and no queue brings back. @throws Failure */
  async sweep(): Promise<void> {
    const at = this.#clock.now().toISOString();
    await this.series.interruptDead(at);
    await this.#sessions.interruptDead(at);
  }

  /** What was asked for is stored first, where that works. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.flusher.idle();
    await this.#parts.disposeAsync();
  }

  /** Begins the same; a process that exits at once may leave its row to become stale. */
  [Symbol.dispose](): void {
    void this[Symbol.asyncDispose]();
  }
}
