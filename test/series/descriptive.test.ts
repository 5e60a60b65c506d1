import { expect, test } from "bun:test";
import { byScenario, signTest, studentQuantile, wilson } from "../../src/series/descriptive.ts";

test("Student's quantiles are those of the tables", () => {
  const table = { 1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 10: 2.228, 30: 2.042, 99: 1.984 };
  for (const [freedom, quantile] of Object.entries(table))
    expect(studentQuantile(Number(freedom)).toFixed(3)).toBe(quantile.toFixed(3));
});

test("Wilson's range is that of the tables, and ends at 0 and 1", () => {
  const { low, high } = wilson(9, 10);
  expect([low.toFixed(4), high.toFixed(4)]).toEqual(["0.5958", "0.9821"]);
  expect([wilson(0, 5).low, wilson(5, 5).high]).toEqual([0, 1]);
});

test("the sign test is exact", () => {
  expect(signTest({ wins: 8, losses: 2 })).toBeCloseTo(112 / 1024, 12);
  expect(signTest({ wins: 0, losses: 6 })).toBeCloseTo(2 / 64, 12);
  expect([signTest({ wins: 5, losses: 5 }), signTest({ wins: 0, losses: 0 })]).toEqual([1, 1]);
  expect(signTest({ wins: 50_500, losses: 49_500 })).toBeLessThan(0.01);
});

test("scenarios like these are spoken of from five on", () => {
  expect(byScenario([1, 1, 0, 0])).toBeNull();
  const range = byScenario([1, 0.5, 0, 0.5, -0.5]);
  // Mean 0.3; the squares sum to 1.3, so that the standard error is sqrt(1.3 / 20).
  const half = 2.7764451 * Math.sqrt(1.3 / 20);
  expect(range).toEqual({
    mean: expect.closeTo(0.3, 9),
    low: expect.closeTo(0.3 - half, 6),
    high: expect.closeTo(0.3 + half, 6),
    ahead: 3,
  });
});
