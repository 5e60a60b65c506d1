import { Failure } from "../../domain/failure.ts";
import { Watchers } from "../watchers.ts";
import type { PostgresDatabase } from "./connection.ts";
import { POOLED } from "./database-failure.ts";
import { ask, type Sql } from "./statement.ts";

const CHANNEL = "abeval_runs";

/** A notification may be lost with its connection: while anybody watches, all look again so often. */
const LOOK_AGAIN_MS = 2_000;

/** How long a notification to oneself may take. */
const HEARD_WITHIN_MS = 2_000;

/** Readers of sessions, and who tells them: this process and, by notifications of the database, every other one. */
export class RunWakes implements AsyncDisposable {
  readonly #me: string;
  readonly #watchers = new Watchers();
  #timer: ReturnType<typeof setInterval> | undefined;
  #leave: (() => Promise<void>) | undefined;
  /** Those of this process that wait for a notification. */
  readonly #own = new Set<() => void>();

  constructor(me: string) {
    this.#me = me;
  }

  /** @throws Failure `storage_failed` when notifications do not come through */
  async listen(database: PostgresDatabase): Promise<void> {
    const hear = (payload: string) => {
      const [from, session_id] = payload.split(" ");
      if (from === this.#me) for (const heard of this.#own) heard();
      else if (session_id) this.wake(session_id);
    };
    this.#leave = await database.listen(CHANNEL, hear, () => this.#watchers.wakeAll());
    if (!(await this.hearsItself(database)))
      throw new Failure("storage_failed", `${database.name}: notifications do not arrive, ${POOLED}`);
  }

  /** Whether a notification of this process comes back to it. @throws Failure */
  async hearsItself(database: PostgresDatabase): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const heard = () => resolve(true);
    this.#own.add(heard);
    try {
      await database.write((sql) => this.announce(sql, [""]));
      const timer = setTimeout(() => resolve(false), HEARD_WITHIN_MS);
      return await promise.finally(() => clearTimeout(timer));
    } finally {
      this.#own.delete(heard);
    }
  }

  watch(session_id: string, wake: () => void): () => void {
    const leave = this.#watchers.watch(session_id, wake);
    this.#timer ??= setInterval(() => this.#lookAgain(), LOOK_AGAIN_MS).unref();
    return leave;
  }

  wake(session_id: string): void {
    this.#watchers.wake(session_id);
  }

  /** Has the other processes wake their readers, when the transaction is committed. */
  async announce(sql: Sql, session_ids: readonly string[]): Promise<void> {
    const payloads = session_ids.map((session_id) => `${this.#me} ${session_id}`);
    if (payloads.length > 0) await ask(sql, ANNOUNCE, [CHANNEL, payloads]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#leave?.();
  }

  #lookAgain(): void {
    this.#watchers.wakeAll();
    if (this.#watchers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const ANNOUNCE = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload";
