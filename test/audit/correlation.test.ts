import { expect, test } from "bun:test";
import { Correlation } from "../../src/comparison/audit/correlation.ts";

test("a correlation is that of the pairs, and unknown while one side never changes", () => {
  const votes = new Correlation();
  votes.add(1, 1);
  expect(votes.value).toBeUndefined();
  votes.add(-1, -1);
  expect(votes.value).toBeCloseTo(1, 12);
  votes.add(1, -1);
  votes.add(-1, 1);
  expect(votes.value).toBeCloseTo(0, 12);
});
