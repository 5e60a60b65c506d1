import type { SQL } from "bun";

interface PoolOptions {
  readonly connections: number;
  readonly open: (connections: number) => SQL;
}

/** Some connections to a server. What waits for one of them waits for no other pool. */
export class ConnectionPool {
  readonly #options: PoolOptions;
  #sql: SQL;

  /** Connects with the first statement. */
  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sql = options.open(options.connections);
  }

  /** The connections as they are now: after an outage they are others. */
  get sql(): SQL {
    return this.#sql;
  }

  /** Does `work` once. Connections that say nothing for so long are given up, with all who wait for one of them. */
  async tried<T>(work: (sql: SQL) => Promise<T>, longest_ms: number): Promise<T> {
    const sql = this.#sql;
    const { promise: silent, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.replace(sql);
      reject(new Silence());
    }, longest_ms);
    try {
      const working = work(sql);
      working.catch(() => undefined);
      return await Promise.race([working, silent]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Callers that wait on one of `old` are told so, and go on with new ones, which may lead to another server. */
  replace(old = this.#sql): void {
    if (this.#sql !== old) return;
    this.#sql = this.#options.open(this.#options.connections);
    void old.close({ timeout: 0 }).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: 1 }).catch(() => undefined);
  }
}

class Silence extends Error {
  readonly code = "ERR_POSTGRES_CONNECTION_TIMEOUT";
}
