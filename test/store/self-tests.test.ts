import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { SelfTest } from "../../src/domain/self-test.ts";
import { selfTestSentence } from "../../src/domain/self-test-sentence.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { Database } from "../../src/store/sqlite/database.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../temporary.ts";
import { STORES } from "./stores.ts";

const KEY = "a".repeat(64);

const at = (second: number) => ({
  ...EXAMPLES.self_test,
  self_test_id: `self-test-sample-${second}`,
  created_at: `2026-01-02T03:04:0${second}.000Z`,
});

describe.each(STORES)("%s", (_name, open) => {
  test("a self-test is read by its id, and the last with a key by the key", async () => {
    await using opened = await open();
    const { store } = opened;
    expect(await store.self_tests.read("self-test-sample-1")).toBeUndefined();
    for (const second of [1, 2]) await store.self_tests.keep(KEY, at(second));
    await store.self_tests.keep("b".repeat(64), at(3));
    expect(await store.self_tests.read("self-test-sample-1")).toEqual(at(1));
    expect(await store.self_tests.latest(KEY)).toEqual(at(2));
    expect(await store.self_tests.latest("c".repeat(64))).toBeUndefined();
  });

  test("judges that failed are known by the newest self-test of each key", async () => {
    await using opened = await open();
    const { self_tests } = opened.store;
    const [mended, failed] = ["a".repeat(64), "b".repeat(64)];
    await self_tests.keep(mended, { ...at(1), verdict: "fail" });
    await self_tests.keep(mended, { ...at(2), verdict: "pass" });
    await self_tests.keep(failed, { ...at(3), verdict: "pass" });
    await self_tests.keep(failed, { ...at(4), verdict: "fail" });
    expect(await self_tests.failedKeys()).toEqual(new Set([failed]));
  });

  test("self-tests are listed newest first, equals by their ids, and page by page", async () => {
    await using opened = await open();
    const { store } = opened;
    const ids = async (limit: number, before?: SelfTest) =>
      (await store.self_tests.list({ limit, before })).map(({ self_test_id }) => self_test_id);
    expect(await ids(5)).toEqual([]);
    // By code points, whatever the language of the database.
    const equals = ["B", "a"].map((name) => ({ ...at(2), self_test_id: `self-test-sample-${name}` }));
    const all = [at(3), ...equals, at(1)];
    for (const self_test of all.toReversed()) await store.self_tests.keep(KEY, self_test);
    const [three = "", b = "", a = "", one = ""] = all.map(({ self_test_id }) => self_test_id);
    expect(await ids(5)).toEqual([three, a, b, one]);
    expect(await ids(2)).toEqual([three, a]);
    expect(await ids(2, equals[1])).toEqual([b, one]);
    expect(await ids(2, at(1))).toEqual([]);
  });
});

/** As 0.1.6 stored it: three parts without rates, and an answer cut to its first third. */
const STORED_BEFORE = {
  ...at(1),
  parts: [
    {
      ...{
        id: "reference_against_nop",
        verdict: "warn",
        note: "it preferred the known good work in only 2 of 3 trials",
      },
      trials: [
        { a: "reference", b: "cut", outcome: "tie", winner: null, lean: null, flags: [], calls: 2, cost_usd: null },
      ],
    },
    { id: "same_evidence", verdict: "skip", note: "there is nothing to show the judge", trials: [] },
    { id: "harmless_edits", verdict: "pass", note: "nothing of it made a winner: other_markup", trials: [] },
  ],
};

test("a self-test that an older version stored is read and told", async () => {
  using directory = temporaryDirectory();
  const open = () => sqliteStore(directory.path, systemClock, systemEntropy);
  {
    using store = open();
    await store.self_tests.keep(KEY, at(1));
  }
  const database = new Database(join(directory.path, "sessions.db"));
  database.run("UPDATE self_tests SET self_test = ?", [JSON.stringify(STORED_BEFORE)]);
  database.close();
  using store = open();
  const found = await store.self_tests.latest(KEY);
  expect(found).toEqual(STORED_BEFORE as SelfTest);
  expect(found && selfTestSentence(found)).toEndWith(
    "neither passed nor failed: it preferred the known good work in only 2 of 3 trials.",
  );
});

test("a self-test outlives its process", async () => {
  using directory = temporaryDirectory();
  const open = () => sqliteStore(directory.path, systemClock, systemEntropy);
  {
    using store = open();
    await store.self_tests.keep(KEY, at(1));
  }
  using store = open();
  expect(await store.self_tests.latest(KEY)).toEqual(at(1));
});
