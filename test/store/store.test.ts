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

  test("the money of a day is what was spent in it and what is set aside, and never more than its limit", () => {
    using opened = open();
    const { ledger } = opened.store;
    const on = (day: string) => ({ ...ledger.on(day) });
    expect(ledger.reserve({ id: "one", day: "2026-01-02", usd: 6 }, 10)).toBeUndefined();
    expect(ledger.reserve({ id: "two", day: "2026-01-02", usd: 5 }, 10)).toEqual({ spent: 0, reserved: 6 });
    ledger.settle({ id: "one", day: "2026-01-02", usd: 1.5 });
    expect(ledger.reserve({ id: "three", day: "2026-01-02", usd: 8.5 }, 10)).toBeUndefined();
    expect(on("2026-01-02")).toEqual({ spent: 1.5, reserved: 8.5 });
    // What still runs may be paid for tomorrow; what was spent today is over then.
    expect(on("2026-01-03")).toEqual({ spent: 0, reserved: 8.5 });
    ledger.settle({ id: "three", day: "2026-01-03", usd: 2 });
    expect([on("2026-01-02"), on("2026-01-03")]).toEqual([
      { spent: 1.5, reserved: 0 },
      { spent: 2, reserved: 0 },
    ]);
  });

  test("money that was never set aside counts when it is spent", () => {
    using opened = open();
    opened.store.ledger.settle({ id: "one", day: "2026-01-02", usd: 3 });
    expect(opened.store.ledger.reserve({ id: "two", day: "2026-01-02", usd: 8 }, 10)).toEqual({
      spent: 3,
      reserved: 0,
    });
  });
});

test("the memory store forgets the oldest beyond its capacity and lists none", () => {
  using store = memoryStore(2);
  const ids = [1, 2, 3].map((n) => `session-sample-20260102T03040567${n}Z`);
  for (const id of ids) store.create(anOutcome(id));
  expect(ids.map((id) => store.get(id) !== undefined)).toEqual([false, true, true]);
  expect(store.list()).toEqual([]);
});
