import { expect, test } from "bun:test";
import type { SeriesInFlight } from "../../src/comparison/planning/services.ts";
import { Failure } from "../../src/domain/failure.ts";
import { MAX_PARALLEL, type SeriesRecord } from "../../src/domain/series-record.ts";
import type { RunEntry } from "../../src/domain/session-entry.ts";
import { followSeries } from "../../src/doors/operation/follow-series.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { aSeries } from "../series-record.ts";
import { begin, COMPLETED } from "../stored.ts";

const SERIES_ID = "series-20260102T030405678Z-0123abcd";

const idOf = (trial: number) => `session-sample-20260102T030405${String(trial).padStart(3, "0")}Z`;

/** A series whose trials begin, decide and end as the test wants. */
class FakeSeries implements SeriesInFlight {
  readonly series_id = SERIES_ID;
  readonly sessions: string[] = [];
  readonly open = new Set<string>();
  readonly #store: SessionStore;
  readonly #end = Promise.withResolvers<SeriesRecord>();
  readonly done = this.#end.promise;
  readonly #runs = new Map<number, Awaited<ReturnType<typeof begin>>>();
  #changed = Promise.withResolvers<void>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  next = () => this.#changed.promise;
  halt = () => undefined;
  cancel = () => undefined;

  async begin(trial: number): Promise<void> {
    this.#runs.set(trial, await begin(this.#store, anOutcome(idOf(trial))));
    this.sessions.push(idOf(trial));
    this.open.add(idOf(trial));
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async decide(trial: number, seq: number): Promise<void> {
    await this.#append(trial, { type: "decision", arm_id: "left", decision: aTurn(seq) });
  }

  async end(trial: number): Promise<void> {
    await this.#append(trial, COMPLETED);
    this.open.delete(idOf(trial));
  }

  over(): void {
    this.#end.resolve(aSeries(SERIES_ID));
    this.#changed.resolve();
  }

  async #append(trial: number, entry: RunEntry): Promise<void> {
    const run = this.#runs.get(trial);
    if (run) await this.#store.append(run, [entry], "written");
  }
}

/** A store that knows how many logs are watched. */
function countedStore() {
  const store = memoryStore();
  const watchers = { now: 0, most: 0 };
  const watch = (session_id: string, wake: () => void) => {
    watchers.now += 1;
    watchers.most = Math.max(watchers.most, watchers.now);
    const leave = store.watch(session_id, wake);
    return () => {
      watchers.now -= 1;
      leave();
    };
  };
  return { store: { ...store, watch }, watchers };
}

const told = (events: readonly { readonly event: { readonly session_id: string } }[]) =>
  events.map(({ event }) => event.session_id);

test("trials that run are told from their start, then those that come; those that had ended are not", async () => {
  const store = memoryStore();
  const series = new FakeSeries(store);
  for (const trial of [1, 2, 3]) await series.begin(trial);
  for (const trial of [1, 2, 3]) await series.decide(trial, 1);
  // The second ended before the first, which still runs.
  await series.end(2);
  const events = Array.fromAsync(followSeries(store, series));
  await series.begin(4);
  for (const trial of [1, 3, 4]) await series.decide(trial, 2);
  for (const trial of [1, 3, 4]) await series.end(trial);
  series.over();
  const all = await events;
  expect(Object.groupBy(told(all), (id) => id)).toEqual({
    [idOf(1)]: [idOf(1), idOf(1)],
    [idOf(3)]: [idOf(3), idOf(3)],
    [idOf(4)]: [idOf(4)],
  });
  expect(all.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
});

test("a reader that does not come back holds few logs open, and gets all of them when it does", async () => {
  const { store, watchers } = countedStore();
  const series = new FakeSeries(store);
  await series.begin(1);
  await series.decide(1, 1);
  const events = followSeries(store, series);
  expect(told([(await events.next()).value as never])).toEqual([idOf(1)]);
  for (let trial = 2; trial <= 60; trial += 1) {
    await series.begin(trial);
    await series.decide(trial, 1);
    await series.end(trial);
  }
  await series.end(1);
  series.over();
  const second = await events.next();
  expect(watchers.most).toBe(MAX_PARALLEL);
  const rest = await Array.fromAsync(events);
  expect(told([second.value as never, ...rest]).toSorted()).toEqual(Array.from({ length: 59 }, (_, n) => idOf(n + 2)));
});

test("a trial that is kept no more is passed over", async () => {
  const store = memoryStore(1);
  const series = new FakeSeries(store);
  await series.begin(1);
  await series.decide(1, 1);
  const events = followSeries(store, series);
  await events.next();
  for (const trial of [2, 3]) {
    await series.begin(trial);
    await series.decide(trial, 1);
    await series.end(trial);
  }
  await series.end(1);
  series.over();
  expect(told(await Array.fromAsync(events))).toEqual([]);
});

test("a log that cannot be read ends it with that", async () => {
  const store = memoryStore();
  const series = new FakeSeries(store);
  await series.begin(1);
  const broken = new Failure("storage_failed", "the disk is gone");
  const failing = { ...store, read: async () => Promise.reject(broken) };
  expect(Array.fromAsync(followSeries(failing, series))).rejects.toBe(broken);
});

test("who leaves is woken no more", async () => {
  const { store, watchers } = countedStore();
  const series = new FakeSeries(store);
  for (const trial of [1, 2]) await series.begin(trial);
  for (const trial of [1, 2]) await series.decide(trial, 1);
  const events = followSeries(store, series);
  await events.next();
  expect(watchers.now).toBe(2);
  await events.return();
  await new Promise(setImmediate);
  expect(watchers.now).toBe(0);
});
