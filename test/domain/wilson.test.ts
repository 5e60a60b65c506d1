import { expect, test } from "bun:test";
import { wilson } from "../../src/domain/wilson.ts";

test.each([
  [0, 0, 0, 1],
  [0, 10, 0, 0.2775328],
  [5, 10, 0.2365931, 0.7634069],
  [9, 10, 0.5958, 0.9821],
  [18, 19, 0.7536, 0.9906],
])("Wilson's range of %p of %p is that of the tables", (some, all, low, high) => {
  expect(wilson(some, all)).toEqual({ low: expect.closeTo(low, 4), high: expect.closeTo(high, 4) });
});

test("it ends at 0 and 1, without a rounding error", () => {
  expect([wilson(0, 5).low, wilson(5, 5).high]).toEqual([0, 1]);
});
