import { expect, test } from "bun:test";
import { signTest } from "../../src/audit/binomial.ts";
import { Correlation } from "../../src/audit/correlation.ts";

test.each([
  [0, 0, 1],
  [5, 0, 0.0625],
  [3, 0, 0.25],
  [9, 1, 0.021484375],
  [4, 4, 1],
])("the sign test of %p against %p", (one, other, p) => {
  expect(signTest(one, other)).toBeCloseTo(p, 12);
  expect(signTest(other, one)).toBeCloseTo(p, 12);
});

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
