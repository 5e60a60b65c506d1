import {
  FAILED_VERDICT,
  keysOfFailed,
  parseSelfTest,
  readableSelfTests,
  type SelfTestRow,
  type SelfTestStore,
} from "../self-test-store.ts";
import type { Database } from "./database.ts";
import { guarded } from "./storage-failure.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Self-tests that survive the process. A row that is damaged is as none. */
export function sqliteSelfTests(database: Database, batch: WriteBatch, stateDir: string): SelfTestStore {
  const read = (sql: string, parameters: Record<string, string>) =>
    guarded(stateDir, () => {
      const row = database.query(sql).get(parameters) as { self_test: string } | null;
      return row === null ? undefined : parseSelfTest(row.self_test);
    });
  return {
    async keep(key, self_test) {
      const { self_test_id: id, created_at } = self_test;
      const row = { id, key, created_at, self_test: JSON.stringify(self_test) };
      await batch.write(() => database.query(KEEP).run(row));
    },
    read: async (id) => read("SELECT self_test FROM self_tests WHERE id = $id", { id }),
    latest: async (key) => read(LATEST, { key }),
    failedKeys: async () =>
      guarded(stateDir, () =>
        keysOfFailed(database.query(FAILED).all({ words: FAILED_VERDICT }) as { key: string; self_test: string }[]),
      ),
    list: (query) =>
      readableSelfTests(query, async (limit, before) =>
        guarded(stateDir, () => {
          const place = { at: before?.created_at ?? null, id: before?.self_test_id ?? null };
          return database.query(PAGE).all({ ...place, limit }) as SelfTestRow[];
        }),
      ),
  };
}

const KEEP = `INSERT INTO self_tests (id, key, created_at, self_test) VALUES ($id, $key, $created_at, $self_test)
  ON CONFLICT (id) DO UPDATE SET key = $key, self_test = $self_test`;

const LATEST = "SELECT self_test FROM self_tests WHERE key = $key ORDER BY created_at DESC LIMIT 1";

const FAILED = `SELECT key, self_test FROM self_tests AS one WHERE instr(self_test, $words) > 0
  AND NOT EXISTS (SELECT 1 FROM self_tests WHERE key = one.key AND created_at > one.created_at)`;

const PAGE = `SELECT id, created_at, self_test FROM self_tests
  WHERE $at IS NULL OR (created_at, id) < ($at, $id) ORDER BY created_at DESC, id DESC LIMIT $limit`;
