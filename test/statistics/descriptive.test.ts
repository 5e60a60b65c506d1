import { expect, test } from "bun:test";
import { byScenario, studentQuantile } from "../../src/statistics/summary/descriptive.ts";

test("Student's quantiles are those of the tables", () => {
  const table = { 1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 10: 2.228, 30: 2.042, 99: 1.984 };
  for (const [freedom, quantile] of Object.entries(table))
    expect(studentQuantile(Number(freedom)).toFixed(3)).toBe(quantile.toFixed(3));
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
