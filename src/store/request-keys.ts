import { query, type SqlDriver, type SqlSteps } from "./sql.ts";

/** A request that is done once, however often a client sends it. */
export interface RequestKey {
  /** SHA-256 of what the client calls it. */
  readonly key: string;
  /** SHA-256 of what it asks for. */
  readonly request: string;
  /** When it came. */
  readonly at: string;
}

/** What was begun under a key. */
export interface HeldKey {
  readonly request: string;
  /** Of the session or the series. */
  readonly id: string;
}

/**
 * Keys of requests, each held for a day by the first that came with it. What begins a session or a series takes its key in
 * the same write. @throws Failure `storage_full` or `storage_failed`, from every method
 */
export interface RequestKeys {
  /** Undefined when nobody holds it. */
  read(asked: RequestKey): Promise<HeldKey | undefined>;
  /** Holds the key for something that is there already; false when it is held. */
  hold(asked: RequestKey, id: string): Promise<boolean>;
  /** Nothing was done for it: it may be held anew. */
  drop(asked: RequestKey): Promise<void>;
}

/** Another request with the same key was first. */
export class KeyHeld extends Error {}

/** @throws KeyHeld */
export async function demandFree(keys: RequestKeys, asked: RequestKey | undefined): Promise<void> {
  if (asked && (await keys.read(asked)) !== undefined) throw new KeyHeld();
}

/** Does `work` for something whose id is known, and holds the key for it unless `work` fails. @throws KeyHeld */
export async function holding<T>(
  keys: RequestKeys,
  asked: RequestKey | undefined,
  { id, work }: { readonly id: string; readonly work: () => Promise<T> },
): Promise<T> {
  if (asked === undefined) return await work();
  if (!(await keys.hold(asked, id))) throw new KeyHeld();
  try {
    return await work();
  } catch (error) {
    await keys.drop(asked).catch(() => undefined);
    throw error;
  }
}

const HELD_MS = 24 * 3_600_000;

/** Keys that were held before this time, and at it, are free for whoever asks at `at`. */
const freeBefore = (at: string): string => new Date(Date.parse(at) - HELD_MS).toISOString();

/** Keys that one process holds in memory at most. */
const MEMORY_KEYS = 10_000;

/** Forgotten with the process. */
export class MemoryKeys implements RequestKeys {
  /** Oldest first. */
  readonly #held = new Map<string, HeldKey & Pick<RequestKey, "at">>();

  async read({ key, at }: RequestKey): Promise<HeldKey | undefined> {
    const held = this.#held.get(key);
    return held && held.at > freeBefore(at) ? { request: held.request, id: held.id } : undefined;
  }

  async hold(asked: RequestKey, id: string): Promise<boolean> {
    return this.begin(asked, id, () => true) === true;
  }

  async drop({ key }: RequestKey): Promise<void> {
    this.#held.delete(key);
  }

  /** Does `begin` unless somebody holds the key, which is held when `begin` gives something. */
  begin<T>(asked: RequestKey | undefined, id: string, begin: () => T | undefined): T | undefined {
    if (asked === undefined) return begin();
    const { key, request, at } = asked;
    const free = freeBefore(at);
    for (const [other, held] of this.#held) {
      if (held.at > free && this.#held.size < MEMORY_KEYS) break;
      this.#held.delete(other);
    }
    if (this.#held.has(key)) return undefined;
    const begun = begin();
    if (begun !== undefined) this.#held.set(key, { request, id, at });
    return begun;
  }
}

/** Keys that outlive the process. */
export class SqlKeys implements RequestKeys {
  readonly #driver: SqlDriver;
  readonly #sweeps: boolean;

  /** Without `sweeps` old keys are forgotten where another is held. Two transactions that delete many could wait for each other. */
  constructor(driver: SqlDriver, sweeps: boolean) {
    this.#driver = driver;
    this.#sweeps = sweeps;
  }

  async read({ key, at }: RequestKey): Promise<HeldKey | undefined> {
    const [held] = await this.#driver.read(() => query<HeldKey>(READ, { key, free: freeBefore(at) }));
    return held;
  }

  async hold(asked: RequestKey, id: string): Promise<boolean> {
    return await this.#driver.write(() => this.#hold(asked, id));
  }

  *#hold(asked: RequestKey, id: string): SqlSteps<boolean> {
    if (!this.#sweeps) yield* forgetKeys(asked.at);
    return yield* holdKey(asked, id);
  }

  async drop({ key }: RequestKey): Promise<void> {
    await this.#driver.write(() => dropKey(key));
  }

  /** Forgets those that have been held for long enough. */
  async forget(at: string): Promise<void> {
    await this.#driver.write(() => forgetKeys(at));
  }
}

/** False when somebody holds the key. Belongs in a transaction; two who ask at the same time wait for each other here. */
export function* holdKey(asked: RequestKey, id: string): SqlSteps<boolean> {
  return (yield* query(HOLD, { ...asked, id, free: freeBefore(asked.at) })).count > 0;
}

export const dropKey = (key: string) => query("DELETE FROM @request_keys WHERE key = $key", { key });

export const forgetKeys = (at: string) =>
  query("DELETE FROM @request_keys WHERE at <= $free", { free: freeBefore(at) });

const READ = "SELECT request, id FROM @request_keys WHERE key = $key AND at > $free";

const HOLD = `INSERT INTO @request_keys AS held (key, request, id, at) VALUES ($key, $request, $id, $at)
  ON CONFLICT (key) DO UPDATE SET request = excluded.request, id = excluded.id, at = excluded.at WHERE held.at <= $free`;
