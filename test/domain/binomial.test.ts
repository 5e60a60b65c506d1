import { expect, test } from "bun:test";
import { signTest, wilson } from "../../src/domain/binomial.ts";

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

test.each([
  [0, 0, 1],
  [5, 0, 0.0625],
  [3, 0, 0.25],
  [8, 2, 112 / 1024],
  [9, 1, 0.021484375],
  [4, 4, 1],
])("the sign test of %p against %p", (one, other, p) => {
  expect(signTest(one, other)).toBeCloseTo(p, 12);
  expect(signTest(other, one)).toBeCloseTo(p, 12);
});

test("the sign test takes large numbers", () => {
  expect(signTest(50_500, 49_500)).toBeCloseTo(0.0016, 4);
});
