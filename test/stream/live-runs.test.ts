import { expect, test } from "bun:test";
import type { RunEvent } from "../../src/domain/event.ts";
import { LiveRuns } from "../../src/stream/live-runs.ts";

const ID = "session-sample-20260102T030405678Z";

const finished = (arm_id: string): RunEvent => ({ event: "arm_finished", session_id: ID, arm_id });

test("a late subscriber first gets every event so far, in order, then the live ones, until the run closes", async () => {
  const live = new LiveRuns();
  const run = live.open(ID);
  run.publish(finished("one"));
  run.publish(finished("two"));
  const events = run.events();
  const seen = [await events.next(), await events.next()];
  const pending = events.next();
  run.publish(finished("three"));
  seen.push(await pending);
  run.publish(finished("four"));
  live.close(ID);
  seen.push(await events.next());
  expect(seen.map(({ value }) => value)).toEqual(["one", "two", "three", "four"].map(finished));
  expect((await events.next()).done).toBe(true);
});

test("every subscriber gets every event, whatever its pace", async () => {
  const live = new LiveRuns();
  const run = live.open(ID);
  const [slow, fast] = [run.events(), run.events()];
  const quick = Array.fromAsync(fast);
  for (let n = 0; n < 1000; n += 1) run.publish(finished(`arm-${n}`));
  live.close(ID);
  expect((await quick).length).toBe(1000);
  expect((await Array.fromAsync(slow)).length).toBe(1000);
});

test("an id without a run, or whose run has closed, is not live", () => {
  const live = new LiveRuns();
  expect(live.get(ID)).toBeUndefined();
  live.open(ID);
  live.close(ID);
  expect(live.get(ID)).toBeUndefined();
});
