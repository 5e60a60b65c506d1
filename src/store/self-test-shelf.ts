import type { SelfTest } from "../domain/self-test.ts";

/** Self-tests that are completed. @throws Failure `storage_full` or `storage_failed`, from every method */
export interface SelfTestShelf {
  /** @param key what the test is about: `selfTestKey` */
  keepSelfTest(key: string, self_test: SelfTest): Promise<void>;
  selfTest(self_test_id: string): Promise<SelfTest | undefined>;
  /** The newest one with this key, by when it was asked for. */
  latestSelfTest(key: string): Promise<SelfTest | undefined>;
}

/** Forgotten with the process; keeps the last `capacity`. */
export function memorySelfTests(capacity: number): SelfTestShelf {
  const kept = new Map<string, { readonly key: string; readonly self_test: SelfTest }>();
  return {
    async keepSelfTest(key, self_test) {
      kept.set(self_test.self_test_id, { key, self_test: structuredClone(self_test) });
      const [oldest] = kept.keys();
      if (kept.size > capacity && oldest !== undefined) kept.delete(oldest);
    },
    selfTest: async (self_test_id) => structuredClone(kept.get(self_test_id)?.self_test),
    async latestSelfTest(key) {
      const own = [...kept.values()].filter((one) => one.key === key).map(({ self_test }) => self_test);
      return structuredClone(own.toSorted((one, other) => one.created_at.localeCompare(other.created_at)).at(-1));
    },
  };
}
