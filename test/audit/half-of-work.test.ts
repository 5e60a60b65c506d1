import { expect, test } from "bun:test";
import { halfOfWork } from "../../src/comparison/audit/half-of-work.ts";

const file = (before: string | null, text: string, path = "a.ts") => ({ path, before, text });
const textsOf = async (...files: ReturnType<typeof file>[]) => (await halfOfWork(files)).map(({ text }) => text);
const lines = (...some: string[]) => some.map((line) => `${line}\n`).join("");

test("of each file the first half of its changed lines is changed, and the rest is as it was", async () => {
  const before = lines("one", "two", "three", "four", "five", "six", "seven", "eight", "nine");
  const after = before.replace("two", "2").replace("four", "4").replace("six", "6").replace("eight", "8");
  expect(await textsOf(file(before, after))).toEqual([before.replace("two", "2").replace("four", "4")]);
});

test.each([
  ["a new file is cut", null, lines("a", "b", "c", "d"), lines("a", "b")],
  ["a run of lines is cut", lines("x", "old", "y"), lines("x", "a", "b", "y"), lines("x", "a", "y")],
  ["of lines that only go some stay", lines("x", "a", "b", "y"), lines("x", "y"), lines("x", "b", "y")],
  ["an end without a line end is kept", "old", "a\nb", "a"],
  ["an end without a line end is kept that does not change", "a\nb\nc\nd\ne", "A\nb\nC\nd\ne", "A\nb\nc\nd\ne"],
])("%s", async (_what, before, after, half) => {
  expect(await textsOf(file(before, after))).toEqual([half]);
});

test("one line is no half, and of two files with a line each one is left", async () => {
  expect(await textsOf(file("a\n", "b\n"))).toEqual([]);
  expect(await halfOfWork([file("a\n", "b\n", "one"), file("c\n", "d\n", "two")])).toEqual([
    { path: "two", text: "d\n" },
  ]);
});
