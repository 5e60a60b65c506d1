import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import type { RunEvent } from "../../src/domain/event.ts";
import type { RunEntry } from "../../src/domain/session-entry.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { followRun } from "../../src/doors/operation/follow-run.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Run } from "../../src/store/store.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { begin, COMPLETED } from "../stored.ts";
import { turnsDuring } from "../turns.ts";

const ID = "session-sample-20260102T030405678Z";

const VERDICT = { ...EXAMPLES.verdict, kind: "run" as const };
const FAILURE = { stage: "judging", class: "infra", code: "provider_failed", message: "no", retryable: false } as const;

const decision = (seq: number): RunEntry => ({ type: "decision", arm_id: "left", decision: aTurn(seq) });
const armEnded = (arm_id: string, status: "finished" | "failed" | "cancelled"): RunEntry => ({
  type: "arm_ended",
  arm_id,
  summary: { status },
});

const eventsOf = async (entries: readonly RunEntry[]): Promise<RunEvent[]> => {
  const store = memoryStore();
  await store.append(await begin(store, anOutcome(ID)), entries, "durable");
  return await Array.fromAsync(followRun(store, ID), ({ event }) => event);
};

test("four kinds of entries are announced, in the order of the log, and nothing else", async () => {
  const events = await eventsOf([
    { type: "stage", at: "2026-01-02T03:04:05.678Z", stage: "running" },
    decision(1),
    armEnded("left", "finished"),
    { type: "observed", differences: [] },
    { type: "examined", arm_id: "left", summary: {} },
    { type: "judged", verdict: VERDICT },
    COMPLETED,
  ]);
  expect(events).toEqual([
    { event: "decision", session_id: ID, arm_id: "left", decision: aTurn(1) },
    { event: "arm_finished", session_id: ID, arm_id: "left" },
    { event: "verdict_ready", session_id: ID, verdict: VERDICT },
  ]);
});

test("an arm that was cut short has not finished, and a run that failed says so as its last event", async () => {
  const failed: RunEntry = { type: "ended", at: "2026-01-02T03:04:06.000Z", state: "failed", failure: FAILURE };
  const { class: _class, ...told } = FAILURE;
  expect(await eventsOf([armEnded("left", "failed"), armEnded("right", "cancelled"), failed])).toEqual([
    { event: "session_failed", session_id: ID, ...told },
  ]);
});

test("who comes late gets every event so far, then what comes, until the log ends", async () => {
  const store = memoryStore();
  const run = await begin(store, anOutcome(ID));
  await store.append(run, [decision(1), decision(2)], "written");
  const events = followRun(store, ID);
  const seen = [await events.next(), await events.next()];
  const pending = events.next();
  await store.append(run, [decision(3)], "written");
  seen.push(await pending);
  await store.append(run, [COMPLETED], "durable");
  expect(seen.map(({ value }) => value?.event)).toEqual(
    [1, 2, 3].map((seq) => ({ event: "decision", session_id: ID, arm_id: "left", decision: aTurn(seq) })),
  );
  expect(seen.map(({ value }) => value?.n)).toEqual([2, 3, 4]);
  expect((await events.next()).done).toBe(true);
});

test("a run that began again tells the decisions of its last attempt by their number, and one end", async () => {
  const store = memoryStore();
  const first = await begin(store, anOutcome(ID));
  await store.append(first, [decision(1), armEnded("left", "finished")], "written");
  const early = Array.fromAsync(followRun(store, ID), ({ event }) => event);
  const again = (await store.takeOver(ID, "2026-01-02T03:04:05.700Z")) as Run;
  await store.append(again, [decision(1), decision(2)], "written");
  const late = Array.fromAsync(followRun(store, ID), ({ event }) => event);
  await store.append(again, [{ type: "judged", verdict: VERDICT }, COMPLETED], "durable");
  const told = [1, 2].map((seq) => ({
    ...{ event: "decision", session_id: ID, arm_id: "left", decision: aTurn(seq) },
    attempt: 2,
  }));
  const end = { event: "verdict_ready", session_id: ID, verdict: VERDICT };
  expect(await late).toEqual([...told, end] as RunEvent[]);
  expect((await early).slice(-3)).toEqual([...told, end] as RunEvent[]);
});

test("each follower gets every event, whatever its pace", async () => {
  const store = memoryStore();
  const run = await begin(store, anOutcome(ID));
  const [slow, quick] = [followRun(store, ID), Array.fromAsync(followRun(store, ID))];
  for (let seq = 1; seq <= 300; seq += 1) await store.append(run, [decision(seq)], "written");
  await store.append(run, [COMPLETED], "durable");
  expect((await quick).length).toBe(300);
  expect((await Array.fromAsync(slow)).length).toBe(300);
});

test("a signal ends the waiting, and nobody is woken any more", async () => {
  const store = memoryStore();
  const run = await begin(store, anOutcome(ID));
  const stop = new AbortController();
  let watchers = 0;
  const watched = {
    ...store,
    watch(session_id: string, wake: () => void) {
      watchers += 1;
      const leave = store.watch(session_id, wake);
      return () => {
        watchers -= 1;
        leave();
      };
    },
  };
  const pending = followRun(watched, ID, stop.signal).next();
  expect(watchers).toBe(1);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  stop.abort();
  expect((await pending).done).toBe(true);
  expect(watchers).toBe(0);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  await store.append(run, [decision(1)], "written");
});

test("a run leaves nothing at the signal of who followed it to its end", async () => {
  const store = memoryStore();
  await store.append(await begin(store, anOutcome(ID)), [decision(1), COMPLETED], "durable");
  const stop = new AbortController();
  expect(await Array.fromAsync(followRun(store, ID, stop.signal))).toHaveLength(1);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("what is written while the log is read is not missed, nor is a signal that fires then", async () => {
  const store = memoryStore();
  const run = await begin(store, anOutcome(ID));
  const duringRead: (() => unknown)[] = [];
  const slow = {
    watch: store.watch,
    async read(session_id: string, from?: number) {
      const entries = await store.read(session_id, from);
      await duringRead.shift()?.();
      return entries;
    },
  };
  const stop = new AbortController();
  duringRead.push(
    () => undefined,
    () => store.append(run, [decision(1)], "written"),
    () => undefined,
    () => stop.abort(),
  );
  const events = await Array.fromAsync(followRun(slow, ID, stop.signal), ({ event }) => event);
  expect(events).toEqual([{ event: "decision", session_id: ID, arm_id: "left", decision: aTurn(1) }]);
  expect(duringRead).toEqual([]);
});

test("many who follow a run are told of an entry in turns of their own: others are answered in between", async () => {
  const store = memoryStore();
  const run = await begin(store, anOutcome(ID));
  const followers = Array.from({ length: 100 }, () => Array.fromAsync(followRun(store, ID)));
  await Bun.sleep(0);
  await store.append(run, [decision(1), COMPLETED], "durable");
  expect(await turnsDuring(() => Promise.all(followers))).toBeGreaterThanOrEqual(90);
});

test("an entry that wakes a hundred followers is read once, and tells all of them one event", async () => {
  const store = memoryStore();
  const run = await begin(store, anOutcome(ID));
  let reads = 0;
  const counted = {
    watch: store.watch,
    read(session_id: string, from?: number) {
      reads += 1;
      return store.read(session_id, from);
    },
  };
  const followers = Array.from({ length: 100 }, () => Array.fromAsync(followRun(counted, ID), ({ event }) => event));
  await Bun.sleep(0);
  await store.append(run, [decision(1), COMPLETED], "durable");
  const told = (await Promise.all(followers)).map(([event]) => event);
  expect(new Set(told).size).toBe(1);
  expect(reads).toBeLessThanOrEqual(3);
});

test("a run that nobody runs any more is followed no further, though its log has no end", async () => {
  const store = memoryStore();
  const run = await begin(store, anOutcome(ID));
  const over = Promise.withResolvers<void>();
  const events = Array.fromAsync(followRun(store, ID, undefined, over.promise), ({ event }) => event.event);
  await store.append(run, [decision(1)], "written");
  over.resolve();
  expect(await events).toEqual(["decision"]);
});
