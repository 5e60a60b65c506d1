import { expect, test } from "bun:test";
import { WordRows } from "../../../src/comparison/judge/view/word-rows.ts";

/** What is left of lines, after a file that held `before`, beside a task that says `read`. */
function left(lines: readonly string[], { before = "", read = "" } = {}): readonly string[] {
  const rows = new WordRows(read);
  rows.learn(before);
  for (const line of lines) rows.meet(line);
  return rows.hide(lines, (word) => `<${word.length}>`);
}

test.each([
  ["calls", "prefer(); mine(); over(); theirs();", "<6>(); <4>(); <4>(); <6>();"],
  ["members", "x.prefer.mine.over.theirs();", "x.<6>.<4>.<4>.<6>();"],
  ["texts", '["prefer", "mine", "over", "theirs"]', '["<6>", "<4>", "<4>", "<6>"]'],
  ["keys", "{ prefer: 1, mine: 1, over: 1, theirs: 1 }", "{ <6>: 1, <4>: 1, <4>: 1, <6>: 1 }"],
])("three words or more as %s are hidden", (_what, line, plain) => {
  expect(left([line])).toEqual([plain]);
});

test("a word on each line makes a row, and a statement of two parts it", () => {
  expect(left(["prefer", "mine", "", "over", "theirs"])).toEqual(["<6>", "<4>", "", "<4>", "<6>"]);
  const parted = ["prefer", "mine", "run.fast();", "over", "theirs"];
  expect(left(parted)).toEqual(parted);
});

test("what the file held, what the task says and what the code uses elsewhere stays", () => {
  const line = "prefer(); mine(); over(); theirs();";
  expect(left([line], { before: "over prefer" })).toEqual([line]);
  expect(left([line], { read: "Mine over theirs: prefer it." })).toEqual([line]);
  const used = [line, "const total = over;", "return count(mine);"];
  expect(left(used)).toEqual(used);
});

test("a word of the task, or one that code needs, parts no row and is hidden within it", () => {
  expect(left(["new x.prefer.mine.the.over.this.theirs"], { read: "the mine" })).toEqual([
    "new x.<6>.<4>.<3>.<4>.<4>.<6>",
  ]);
});

test("a word that comes again is no code while it stands only in rows", () => {
  expect(left(["it.here.only.here.prefer()", "only(here, prefer, it)"])).toEqual([
    "<2>.<4>.<4>.<4>.<6>()",
    "<4>(<4>, <6>, <2>)",
  ]);
});
