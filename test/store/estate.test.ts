import { expect, test } from "bun:test";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Lost } from "../../src/store/store.ts";
import { anOutcome } from "../outcomes.ts";
import { begin } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";

const idOf = (n: number) => `session-sample-20260102T03040500${n}Z`;
const [OWN, TRIAL, OTHER] = [idOf(1), idOf(2), idOf(3)];
const queued = (id: string) => anOutcome(id, { state: "queued" });

test("what only waited in line has lost nothing when its server ends, however often, and is handed on", async () => {
  using directory = temporaryDirectory();
  const heard: Lost[] = [];
  const lost = (one: Lost) => void heard.push(one);
  const open = (after?: string) => sqliteStore(directory.path, systemClock, systemEntropy, { after, lost });
  let store = open();
  await begin(store, queued(OWN));
  for (const attempt of [2, 3, 4]) {
    const { owner } = store.estate ?? {};
    store[Symbol.dispose]();
    store = open(owner);
    expect(store.estate?.runs).toEqual([{ session_id: OWN, attempt }]);
  }
  expect(heard).toEqual([]);
  expect(await readSession(store, OWN)).toMatchObject({ state: "queued", started_at: null });
  store[Symbol.dispose]();
});

test("a server in the place of another has its runs once, and neither trials nor what other processes left", async () => {
  using directory = temporaryDirectory();
  const heard: Lost[] = [];
  const lost = (one: Lost) => void heard.push(one);
  const open = (after?: string) => sqliteStore(directory.path, systemClock, systemEntropy, { after, lost });
  const [first, other] = [open(), open()];
  const trial = { series_id: "series-20260102T030405000Z-00000000", trial: 1, round: 1 };
  const run = await begin(first, queued(OWN));
  await first.append(run, [{ type: "stage", at: "2026-01-02T03:04:06.000Z", stage: "running" }], "written");
  await begin(first, { ...queued(TRIAL), trial });
  await begin(other, queued(OTHER));
  for (const store of [first, other]) store[Symbol.dispose]();
  const second = open(first.estate?.owner);
  expect(second.estate?.runs).toEqual([{ session_id: OWN, attempt: 2 }]);
  expect(heard.splice(0)).toEqual([
    { session_id: OWN, attempt: 1, goes_on: true },
    { session_id: TRIAL, attempt: 1, goes_on: false },
    { session_id: OTHER, attempt: 1, goes_on: false },
  ]);
  expect(await readSession(second, OWN)).toMatchObject({ state: "queued", lost_attempts: [{}] });
  for (const id of [TRIAL, OTHER])
    expect(await readSession(second, id)).toMatchObject({
      state: "interrupted",
      failure: { message: expect.stringContaining("it was killed, or stood still") },
    });
  const again = { session_id: OWN, attempt: 2 };
  await second.append(again, [{ type: "stage", at: "2026-01-02T03:04:07.000Z", stage: "running" }], "written");
  second[Symbol.dispose]();
  using third = open(second.estate?.owner);
  expect(third.estate?.runs).toEqual([]);
  expect(heard).toEqual([{ session_id: OWN, attempt: 2, goes_on: false }]);
  expect(await readSession(third, OWN)).toMatchObject({
    state: "interrupted",
    failure: { message: expect.stringContaining("2 servers fell silent while they ran it") },
  });
});
