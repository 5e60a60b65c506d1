import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { SessionOutcome } from "../../src/domain/session.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { aSeries, aTrial } from "../series-record.ts";
import { begin, COMPLETED } from "../stored.ts";
import { stateOf } from "./state-archive.ts";

/**
 * A state directory of the last version that knew no series: two sessions that completed, of which the later one has a
 * rejudge and both a cross-session verdict, one whose setup failed, one that was cancelled, one whose process was killed.
 */
const stateOfSchema3 = () => stateOf("state-schema-3.tar.gz");

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

const KILLED = "session-killed-20261122T161955924Z";
const [EARLIER, LATER] = ["session-decided-20261122T161950529Z", "session-decided-20261122T161951027Z"] as const;

test("a state directory without series lists and reads whole", async () => {
  using state = stateOfSchema3();
  using store = open(state.path);
  const listed = await store.list();
  expect(listed.map(({ session_id, state, winner }) => [session_id, state, winner])).toEqual([
    [KILLED, "interrupted", null],
    ["session-stopped-20261122T161951955Z", "cancelled", null],
    ["session-broken-20261122T161951378Z", "failed", null],
    [LATER, "completed", "left"],
    [EARLIER, "completed", "left"],
  ]);
  const sessions = await Promise.all(listed.map(({ session_id }) => readSession(store, session_id)));
  for (const session of sessions) expect([...Value.Errors(SessionOutcome, session)]).toEqual([]);
  expect(sessions.map((session) => session?.verdicts.map(({ kind }) => kind))).toEqual([
    [],
    [],
    [],
    ["rejudge", "cross_session"],
    ["cross_session"],
  ]);
  // Of the killed one, one arm was cut short.
  expect(sessions[0]?.arms.map(({ turns, tool_calls, stop_reason }) => [turns, tool_calls, stop_reason])).toEqual([
    [1, 1, "interrupted"],
    [2, 1, "final_answer"],
  ]);
});

test("sessions that were stored before series belong to none, whatever is added to them", async () => {
  using state = stateOfSchema3();
  using store = open(state.path);
  expect(await store.series.list()).toEqual([]);
  const series_id = "series-20260102T030400001Z-01234567";
  const { comparison } = aTrial("session-sample-20260102T030400001Z", series_id, 1);
  if (comparison === undefined) throw new Error("a trial has one");
  await store.add([EARLIER, LATER], { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "rejudge" } });
  expect(await store.trials({ series_id })).toEqual([]);
  expect(await store.trials({ comparison })).toEqual([]);
  expect((await store.list()).map(({ trial }) => trial)).toEqual(Array(5).fill(undefined));
});

test("a series goes into a state directory without series, and stays there", async () => {
  using state = stateOfSchema3();
  const series_id = "series-20260102T030400001Z-01234567";
  const trial = aTrial("session-sample-20260102T030400001Z", series_id, 1);
  {
    using store = open(state.path);
    await store.series.create(aSeries(series_id));
    await store.append(await begin(store, trial), [COMPLETED], "durable");
    await store.series.update(aSeries(series_id, { state: "completed", stop: "exhausted" }));
  }
  using store = open(state.path);
  expect(await store.series.read(series_id)).toMatchObject({ state: "completed" });
  expect(await store.trials({ series_id })).toMatchObject([{ session_id: trial.session_id, state: "completed" }]);
  expect(await store.list()).toHaveLength(6);
});
