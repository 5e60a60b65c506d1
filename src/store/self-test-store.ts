import { SelfTest } from "../domain/self-test.ts";
import { query, type SqlDriver } from "./sql.ts";
import { storedJson } from "./stored-json.ts";

/** Self-tests that are completed. @throws Failure `storage_full` or `storage_failed`, from every method */
export interface SelfTestStore {
  /** @param key what the test is about: `selfTestKey` */
  keep(key: string, self_test: SelfTest): Promise<void>;
  read(self_test_id: string): Promise<SelfTest | undefined>;
  /** The newest one with this key, by when it was asked for. */
  latest(key: string): Promise<SelfTest | undefined>;
  /** The keys of which the newest self-test failed. */
  failedKeys(): Promise<ReadonlySet<string>>;
  /** Newest first, without those that are damaged. */
  list(query: SelfTestQuery): Promise<readonly SelfTest[]>;
}

interface SelfTestQuery {
  readonly limit: number;
  /** Only those that come after it. */
  readonly before?: SelfTestPlace | undefined;
}

/** Self-tests are ordered by when they were asked for, then by id. */
type SelfTestPlace = Pick<SelfTest, "created_at" | "self_test_id">;

/** Negative when `one` is the newer. */
export function newerFirst(one: SelfTestPlace, other: SelfTestPlace): number {
  if (one.created_at !== other.created_at) return one.created_at > other.created_at ? -1 : 1;
  return one.self_test_id === other.self_test_id ? 0 : one.self_test_id > other.self_test_id ? -1 : 1;
}

/** What the newest self-test says of a judge; `unknown` also where it neither passed nor failed. */
export async function judgeRecord(
  self_tests: Pick<SelfTestStore, "latest">,
  key: string,
): Promise<"passed" | "failed" | "unknown"> {
  const verdict = (await self_tests.latest(key))?.verdict;
  if (verdict === "fail") return "failed";
  return verdict === "pass" ? "passed" : "unknown";
}

/** Self-tests in a database. A row that is damaged is as none. */
export function sqlSelfTests({ read, write }: SqlDriver): SelfTestStore {
  const one = async (text: string, values: Readonly<Record<string, string>>) => {
    const [row] = await read(() => query<SelfTestRow>(text, values));
    return row && parseSelfTest(row.self_test);
  };
  const page = (limit: number, before: SelfTestPlace | undefined) =>
    read(() => query<SelfTestRow>(PAGE, { at: before?.created_at ?? null, id: before?.self_test_id ?? null, limit }));
  return {
    async keep(key, self_test) {
      const { self_test_id: id, created_at } = self_test;
      await write(() => query(KEEP, { id, key, created_at, self_test: JSON.stringify(self_test) }));
    },
    read: (id) => one("SELECT self_test FROM @self_tests WHERE id = $id", { id }),
    latest: (key) => one(LATEST, { key }),
    async failedKeys() {
      const rows = await read(() => query<SelfTestRow>(FAILED));
      return new Set(rows.flatMap(({ key, self_test }) => (parseSelfTest(self_test)?.verdict === "fail" ? [key] : [])));
    },
    async list({ limit, before }) {
      const found: SelfTest[] = [];
      for (let place = before; ; ) {
        const rows = await page(limit - found.length, place);
        found.push(...rows.flatMap(({ self_test }) => parseSelfTest(self_test) ?? []));
        const last = rows.at(-1);
        if (last === undefined || found.length === limit) return found;
        place = { created_at: last.created_at, self_test_id: last.id };
      }
    },
  };
}

/** What its statement selects. */
interface SelfTestRow {
  readonly id: string;
  readonly key: string;
  readonly created_at: string;
  readonly self_test: string;
}

const KEEP = `INSERT INTO @self_tests (id, key, created_at, self_test) VALUES ($id, $key, $created_at, $self_test)
  ON CONFLICT (id) DO UPDATE SET key = excluded.key, self_test = excluded.self_test`;

const LATEST = "SELECT self_test FROM @self_tests WHERE key = $key ORDER BY created_at DESC LIMIT 1";

/** Of a test that passed, a part may have failed. */
const FAILED = `SELECT key, self_test FROM @self_tests AS one WHERE self_test LIKE '%"verdict":"fail"%'
  AND NOT EXISTS (SELECT 1 FROM @self_tests WHERE key = one.key AND created_at > one.created_at)`;

const PAGE = `SELECT id, created_at, self_test FROM @self_tests
  WHERE CAST($at AS text) IS NULL OR (created_at, id COLLATE BINARY) < ($at, $id)
  ORDER BY created_at DESC, id COLLATE BINARY DESC LIMIT CAST($limit AS int)`;

/** Undefined for what is damaged. */
const parseSelfTest = storedJson(SelfTest);

/** Forgotten with the process; keeps the last `capacity`. */
export function memorySelfTests(capacity: number): SelfTestStore {
  const kept = new Map<string, { readonly key: string; readonly self_test: SelfTest }>();
  return {
    async keep(key, self_test) {
      kept.set(self_test.self_test_id, { key, self_test: structuredClone(self_test) });
      const [oldest] = kept.keys();
      if (kept.size > capacity && oldest !== undefined) kept.delete(oldest);
    },
    read: async (self_test_id) => structuredClone(kept.get(self_test_id)?.self_test),
    async latest(key) {
      const own = [...kept.values()].filter((one) => one.key === key).map(({ self_test }) => self_test);
      return structuredClone(own.toSorted(newerFirst)[0]);
    },
    async failedKeys() {
      const newest = Map.groupBy([...kept.values()], ({ key }) => key);
      const failed = [...newest].filter(
        ([, own]) => own.map(({ self_test }) => self_test).toSorted(newerFirst)[0]?.verdict === "fail",
      );
      return new Set(failed.map(([key]) => key));
    },
    async list({ limit, before }) {
      const all = [...kept.values()].map(({ self_test }) => self_test).toSorted(newerFirst);
      const after = before ? all.filter((one) => newerFirst(before, one) < 0) : all;
      return structuredClone(after.slice(0, limit));
    },
  };
}
