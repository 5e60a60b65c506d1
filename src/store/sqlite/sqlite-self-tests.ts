import { SelfTest } from "../../domain/self-test.ts";
import type { SelfTestShelf } from "../self-test-shelf.ts";
import { storedJson } from "../stored-json.ts";
import type { Database } from "./database.ts";
import { guarded } from "./storage-failure.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Self-tests that survive the process. A row that is damaged is as none. */
export function sqliteSelfTests(database: Database, batch: WriteBatch, stateDir: string): SelfTestShelf {
  const read = (sql: string, parameters: Record<string, string>) =>
    guarded(stateDir, () => {
      const row = database.query(sql).get(parameters) as { self_test: string } | null;
      return row === null ? undefined : parsed(row.self_test);
    });
  return {
    async keepSelfTest(key, self_test) {
      const { self_test_id: id, created_at } = self_test;
      const row = { id, key, created_at, self_test: JSON.stringify(self_test) };
      await batch.write(() => database.query(KEEP).run(row));
    },
    selfTest: async (id) => read("SELECT self_test FROM self_tests WHERE id = $id", { id }),
    latestSelfTest: async (key) => read(LATEST, { key }),
  };
}

const parsed = storedJson(SelfTest);

const KEEP = `INSERT INTO self_tests (id, key, created_at, self_test) VALUES ($id, $key, $created_at, $self_test)
  ON CONFLICT (id) DO UPDATE SET key = $key, self_test = $self_test`;

const LATEST = "SELECT self_test FROM self_tests WHERE key = $key ORDER BY created_at DESC LIMIT 1";
