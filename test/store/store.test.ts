import { describe, expect, test } from "bun:test";
import { systemClock, systemEntropy } from "../../src/clock.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { temporaryDirectory } from "../temporary.ts";

interface Opened extends Disposable {
  readonly store: SessionStore;
}

const STORES: readonly (readonly [name: string, open: () => Opened])[] = [
  ["memory", () => ({ store: memoryStore(), [Symbol.dispose]: () => undefined })],
  [
    "sqlite",
    () => {
      const directory = temporaryDirectory();
      const store = sqliteStore(directory.path, systemClock, systemEntropy);
      return {
        store,
        [Symbol.dispose]() {
          store[Symbol.dispose]();
          directory[Symbol.dispose]();
        },
      };
    },
  ],
];

const ID = "session-sample-20260102T030405678Z";

describe.each(STORES)("%s store", (_name, open) => {
  test("a session reads back as it was saved, with the decisions that were appended", () => {
    using opened = open();
    const { store } = opened;
    expect(store.create(anOutcome(ID))).toBe(true);
    store.append(ID, "left", aTurn(1));
    store.append(ID, "right", aTurn(1));
    store.append(ID, "left", aTurn(2));
    const completed = anOutcome(ID, { state: "completed", finished_at: "2026-01-02T03:04:06.000Z" });
    store.save(completed);
    expect(store.get(ID)).toEqual({ ...completed, decisions: { left: [aTurn(1), aTurn(2)], right: [aTurn(1)] } });
  });

  test("an id can be claimed once", () => {
    using opened = open();
    expect(opened.store.create(anOutcome(ID))).toBe(true);
    expect(opened.store.create(anOutcome(ID))).toBe(false);
  });

  test("an unknown id is undefined", () => {
    using opened = open();
    expect(opened.store.get(ID)).toBeUndefined();
  });

  test("what a caller does to an outcome it read changes nothing in the store", () => {
    using opened = open();
    const { store } = opened;
    store.create(anOutcome(ID));
    const read = store.get(ID);
    if (read) read.arms[0].title = "changed";
    expect(store.get(ID)?.arms[0].title).toBe("Arm left");
  });
});

test("the memory store forgets the oldest beyond its capacity and lists none", () => {
  using store = memoryStore(2);
  const ids = [1, 2, 3].map((n) => `session-sample-20260102T03040567${n}Z`);
  for (const id of ids) store.create(anOutcome(id));
  expect(ids.map((id) => store.get(id) !== undefined)).toEqual([false, true, true]);
  expect(store.list()).toEqual([]);
});
