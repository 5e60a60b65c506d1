import { expect, test } from "bun:test";
import { resultBytes, takeThatFits } from "../../src/doors/mcp/fit.ts";

const ITEMS = ["aaaa", "bbbb", "cccc"];
const ONE = resultBytes("aaaa") + 1;

test.each([
  ["nothing but the first, which is too large by itself", 1, 1],
  ["the first, since one byte is lacking for the second", 2 * ONE - 1, 1],
  ["two that fit to the byte", 2 * ONE, 2],
  ["all", 3 * ONE, 3],
])("a page takes %s", (_, bytes, count) => {
  expect(takeThatFits(ITEMS, bytes)).toEqual(ITEMS.slice(0, count));
});

test("a page of an empty list is empty", () => {
  expect(takeThatFits([], 100)).toEqual([]);
});
