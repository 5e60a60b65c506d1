import { expect, test } from "bun:test";
import { cells } from "../../src/cli/lanes.ts";

test.each([
  ["plain text", 5, "plain"],
  ["日本語テキスト", 7, "日本語"],
  ["short", 40, "short"],
  ["👩‍🔬 x", 0, ""],
])("%p takes at most %i cells", (text, width, start) => {
  expect(cells(text, width)).toBe(start);
});
