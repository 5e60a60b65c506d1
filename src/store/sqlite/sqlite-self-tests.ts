import { Value } from "@sinclair/typebox/value";
import { SelfTest } from "../../domain/self-test.ts";
import type { SelfTestShelf } from "../self-test-shelf.ts";
import type { Database } from "./database.ts";
import { guarded } from "./storage-failure.ts";
import type { WriteBatch } from "./write-batch.ts";

export class SqliteSelfTests implements SelfTestShelf {
  readonly #database: Database;
  readonly #batch: WriteBatch;
  readonly #subject: string;

  constructor(database: Database, batch: WriteBatch, subject: string) {
    this.#database = database;
    this.#batch = batch;
    this.#subject = subject;
  }

  async keepSelfTest(key: string, self_test: SelfTest): Promise<void> {
    const { self_test_id: id, created_at } = self_test;
    const sql = `INSERT OR REPLACE INTO self_tests (id, key, created_at, self_test) VALUES ($id, $key, $created_at, $self_test)`;
    await this.#batch.write(() =>
      this.#database.query(sql).run({ id, key, created_at, self_test: JSON.stringify(self_test) }),
    );
  }

  async selfTest(id: string): Promise<SelfTest | undefined> {
    return this.#read("SELECT self_test FROM self_tests WHERE id = $id", { id });
  }

  async latestSelfTest(key: string): Promise<SelfTest | undefined> {
    const latest = "SELECT self_test FROM self_tests WHERE key = $key ORDER BY created_at DESC, id DESC LIMIT 1";
    return this.#read(latest, { key });
  }

  /** Undefined also for one that another version stored in another form: then the judge is not tested yet. */
  #read(sql: string, values: Record<string, string>): SelfTest | undefined {
    return guarded(this.#subject, () => {
      const row = this.#database.query(sql).get(values) as { self_test: string } | null;
      const self_test: unknown = row && parsed(row.self_test);
      return Value.Check(SelfTest, self_test) ? self_test : undefined;
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
