import { describe, expect, test } from "bun:test";
import { systemClock, systemEntropy } from "../../src/clock.ts";
import { EXAMPLE_SELF_TEST } from "../../src/http/examples/self-test.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../temporary.ts";
import { STORES } from "./stores.ts";

const KEY = "a".repeat(64);

const at = (second: number) => ({
  ...EXAMPLE_SELF_TEST,
  self_test_id: `self-test-sample-${second}`,
  created_at: `2026-01-02T03:04:0${second}.000Z`,
});

describe.each(STORES)("%s", (_name, open) => {
  test("a self-test is read by its id, and the last with a key by the key", async () => {
    await using opened = await open();
    const { store } = opened;
    expect(await store.selfTest("self-test-sample-1")).toBeUndefined();
    for (const second of [1, 2]) await store.keepSelfTest(KEY, at(second));
    await store.keepSelfTest("b".repeat(64), at(3));
    expect(await store.selfTest("self-test-sample-1")).toEqual(at(1));
    expect(await store.latestSelfTest(KEY)).toEqual(at(2));
    expect(await store.latestSelfTest("c".repeat(64))).toBeUndefined();
  });
});

test("a self-test outlives its process", async () => {
  using directory = temporaryDirectory();
  const open = () => sqliteStore(directory.path, systemClock, systemEntropy);
  {
    using store = open();
    await store.keepSelfTest(KEY, at(1));
  }
  using store = open();
  expect(await store.latestSelfTest(KEY)).toEqual(at(1));
});
