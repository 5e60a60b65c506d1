import {
  FAILED_VERDICT,
  keysOfFailed,
  parseSelfTest,
  readableSelfTests,
  type SelfTestRow,
  type SelfTestStore,
} from "../self-test-store.ts";
import type { PostgresDatabase } from "./connection.ts";
import { ask } from "./statement.ts";

/** Self-tests that every process on the database reads. A row that is damaged is as none. */
export function postgresSelfTests(database: PostgresDatabase): SelfTestStore {
  const read = async (statement: string, value: string) => {
    const [row] = await database.read((sql) => ask<{ self_test: string }>(sql, statement, [value]));
    return row && parseSelfTest(row.self_test);
  };
  return {
    async keep(key, self_test) {
      const { self_test_id, created_at } = self_test;
      const values = [self_test_id, key, created_at, JSON.stringify(self_test)];
      await database.transaction((sql) => ask(sql, KEEP, values));
    },
    read: (id) => read("SELECT self_test FROM abeval.self_tests WHERE id = $1", id),
    latest: (key) => read(LATEST, key),
    failedKeys: async () =>
      keysOfFailed(
        await database.read((sql) => ask<{ key: string; self_test: string }>(sql, FAILED, [FAILED_VERDICT])),
      ),
    list: (query) =>
      readableSelfTests(query, async (limit, before) => {
        const place = [before?.created_at ?? null, before?.self_test_id ?? null];
        return await database.read((sql) => ask<SelfTestRow>(sql, PAGE, [...place, limit]));
      }),
  };
}

const KEEP = `INSERT INTO abeval.self_tests (id, key, created_at, self_test) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET key = excluded.key, self_test = excluded.self_test`;

const LATEST = "SELECT self_test FROM abeval.self_tests WHERE key = $1 ORDER BY created_at DESC LIMIT 1";

const FAILED = `SELECT key, self_test FROM abeval.self_tests AS one WHERE position($1 IN self_test) > 0
  AND NOT EXISTS (SELECT FROM abeval.self_tests WHERE key = one.key AND created_at > one.created_at)`;

const PAGE = `SELECT id, created_at, self_test FROM abeval.self_tests
  WHERE $1::text IS NULL OR (created_at, id COLLATE "C") < ($1, $2)
  ORDER BY created_at DESC, id COLLATE "C" DESC LIMIT $3::int`;
