import { freeBefore, type HeldKey, type RequestKey, type RequestKeys } from "../request-keys.ts";
import type { Database } from "./database.ts";
import { guarded } from "./storage-failure.ts";
import type { WriteBatch } from "./write-batch.ts";

export class SqliteKeys implements RequestKeys {
  readonly #database: Database;
  readonly #batch: WriteBatch;
  readonly #subject: string;

  constructor(database: Database, batch: WriteBatch, subject: string) {
    this.#database = database;
    this.#batch = batch;
    this.#subject = subject;
  }

  async read({ key, at }: RequestKey): Promise<HeldKey | undefined> {
    const sql = "SELECT request, id FROM request_keys WHERE key = $key AND at > $free";
    const find = () => this.#database.query(sql).get({ key, free: freeBefore(at) }) as HeldKey | null;
    return guarded(this.#subject, find) ?? undefined;
  }

  async hold(asked: RequestKey, id: string): Promise<boolean> {
    return (await this.#batch.write(() => this.begin(asked, id, () => true))) === true;
  }

  async drop({ key }: RequestKey): Promise<void> {
    await this.#batch.write(() => this.#delete(key));
  }

  /** Does `begin` unless somebody holds the key, which is held when `begin` gives something. Belongs in a transaction. */
  begin<T>(asked: RequestKey | undefined, id: string, begin: () => T | undefined): T | undefined {
    if (asked === undefined) return begin();
    this.#database.query("DELETE FROM request_keys WHERE at <= $free").run({ free: freeBefore(asked.at) });
    if (this.#database.query(HOLD).run({ ...asked, id }).changes === 0) return undefined;
    const begun = begin();
    if (begun === undefined) this.#delete(asked.key);
    return begun;
  }

  #delete(key: string): void {
    this.#database.query("DELETE FROM request_keys WHERE key = $key").run({ key });
  }
}

const HOLD = `INSERT INTO request_keys (key, request, id, at) VALUES ($key, $request, $id, $at)
  ON CONFLICT (key) DO NOTHING`;
