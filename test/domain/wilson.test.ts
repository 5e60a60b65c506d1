import { expect, test } from "bun:test";
import { wilson } from "../../src/domain/wilson.ts";

test.each([
  [0, 0, 0, 1],
  [0, 10, 0, 0.2775328],
  [5, 10, 0.2365931, 0.7634069],
  [18, 19, 0.7536, 0.9906],
])("Wilson's interval of %p of %p", (count, total, low, high) => {
  const interval = wilson(count, total);
  expect(interval[0]).toBeCloseTo(low, 4);
  expect(interval[1]).toBeCloseTo(high, 4);
});
