import { afterAll, expect, test } from "bun:test";
import { createRateLimit } from "./src/rate-limit.ts";

function open(limit: number, windowMs: number) {
  const clock = { time: 5_000 };
  return { clock, allow: createRateLimit({ limit, windowMs, now: () => clock.time }) };
}

test("calls up to the limit are allowed, the next one is told the seconds to wait", () => {
  const { allow } = open(2, 60_000);
  expect([allow("a"), allow("a"), allow("a")]).toEqual([null, null, 60]);
});

test("seconds are rounded up and never 0", () => {
  const { clock, allow } = open(1, 10_000);
  allow("a");
  clock.time += 1;
  expect(allow("a")).toBe(10);
  clock.time += 9_998;
  expect(allow("a")).toBe(1);
});

test("a window begins with its first call and is not moved by later ones", () => {
  const { clock, allow } = open(2, 10_000);
  allow("a");
  clock.time += 9_000;
  expect([allow("a"), allow("a")]).toEqual([null, 1]);
  clock.time += 1_000;
  expect([allow("a"), allow("a"), allow("a")]).toEqual([null, null, 10]);
});

test("keys are counted apart, and so are limits", () => {
  const { allow } = open(1, 10_000);
  const other = open(1, 10_000);
  expect([allow("a"), allow("b"), other.allow("a"), allow("a")]).toEqual([null, null, null, 10]);
});

afterAll(() => console.log("probe complete: rate limit"));
