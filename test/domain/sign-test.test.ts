import { expect, test } from "bun:test";
import { signTest } from "../../src/domain/sign-test.ts";

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
