import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { LoopClock, startTimer } from "../src/runtime/clock.ts";

let now = 0;
const clock = () => new LoopClock({ now: () => new Date(0), ticks: () => now });

/** The loop runs: every timer comes in its time. */
function pass(ms: number): void {
  for (let left = ms; left > 0; left -= 10) {
    now += 10;
    jest.advanceTimersByTime(10);
  }
}

/** The loop stands still: afterwards every timer comes that was due. */
function stall(ms: number): void {
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

test("a clock that is watched leaves out a pause of the loop, but for the tenth of a second that shows it", () => {
  const loop = clock();
  using watch = loop.watch();
  pass(1_000);
  stall(60_000);
  pass(1_000);
  expect({ ticks: loop.ticks(), left_out: watch.ms }).toEqual({ ticks: 2_100, left_out: 59_900 });
});

test("who runs first after a pause is told of it before any timer has run", () => {
  const loop = clock();
  using watch = loop.watch();
  pass(1_000);
  now += 60_000;
  expect({ ticks: loop.ticks(), left_out: watch.ms }).toEqual({ ticks: 1_100, left_out: 59_900 });
});

test("a clock never goes back, whenever in a pause it is read", () => {
  const loop = clock();
  using _watch = loop.watch();
  const read = Array.from({ length: 300 }, () => {
    now += 1;
    return loop.ticks();
  });
  expect(read).toEqual(read.toSorted((a, b) => a - b));
});

test("a count holds what passed while it was watched, and keeps it", () => {
  const loop = clock();
  stall(60_000);
  const [first, second] = [loop.watch(), loop.watch()];
  stall(1_100);
  first[Symbol.dispose]();
  stall(10_100);
  second[Symbol.dispose]();
  stall(60_000);
  expect([first.ms, second.ms, jest.getTimerCount()]).toEqual([1_000, 11_000, 0]);
});

test("a timer waits as much longer as the loop stood still, so that what came in time is heard first", () => {
  const fired: number[] = [];
  using _timer = startTimer(clock(), 1_000, () => void fired.push(now));
  pass(500);
  stall(60_000);
  expect(fired).toEqual([]);
  pass(2_000);
  expect(fired).toEqual([60_900]);
});

test("a timer that is stopped, or has fired, leaves nothing behind", () => {
  const loop = clock();
  startTimer(loop, 1_000, () => undefined)[Symbol.dispose]();
  startTimer(loop, 1_000, () => undefined);
  pass(2_000);
  expect(jest.getTimerCount()).toBe(0);
});

test("where nobody looks for pauses, a timer is one of the system's", () => {
  let fired = false;
  startTimer({ now: () => new Date(0), ticks: () => 0 }, 1_000, () => {
    fired = true;
  });
  stall(1_000);
  expect(fired).toBe(true);
});
