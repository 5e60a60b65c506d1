import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { Stopwatch, Throttle } from "../../src/arms/arm/stopwatch.ts";

let now = 0;
const clock = { now: () => new Date(0), ticks: () => now };

/** Time passes for the clock and for timers alike. */
function pass(ms: number): void {
  now += ms;
  jest.advanceTimersByTime(ms);
}

beforeEach(() => {
  now = 0;
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("a stopwatch fires when the working time is used up, and not before", () => {
  using watch = new Stopwatch(clock, 200);
  pass(199);
  expect(watch.signal.aborted).toBe(false);
  pass(1);
  expect(watch.signal.aborted).toBe(true);
});

test("a stopwatch stands still from a failed try to the next, and loses nothing by it", () => {
  using watch = new Stopwatch(clock, 200);
  pass(150);
  watch.pause();
  pass(10_000);
  expect(watch.signal.aborted).toBe(false);
  watch.resume(10_000);
  expect({ wall: watch.wall_ms, working: watch.working_ms, throttled: watch.throttled_ms }).toEqual({
    ...{ wall: 10_150, working: 150, throttled: 10_000 },
  });
  pass(49);
  expect(watch.signal.aborted).toBe(false);
  pass(1);
  expect(watch.signal.aborted).toBe(true);
});

test("while no place is free for any request of an arm, its time stands still", () => {
  using watch = new Stopwatch(clock, 200);
  const throttle = new Throttle(watch, clock);
  pass(150);
  throttle.outside(true);
  pass(10_000);
  throttle.outside(false);
  expect({ fired: watch.signal.aborted, working: watch.working_ms, throttled: watch.throttled_ms }).toEqual({
    ...{ fired: false, working: 150, throttled: 10_000 },
  });
  pass(50);
  expect(watch.signal.aborted).toBe(true);
});
