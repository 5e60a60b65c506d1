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
])("four words as %s are hidden", (_what, line, plain) => {
  expect(left([line])).toEqual([plain]);
});

test("a word on each line makes a row, and a statement of two parts it", () => {
  expect(left(["prefer", "mine", "", "over", "theirs"])).toEqual(["<6>", "<4>", "", "<4>", "<6>"]);
  const parted = ["prefer", "mine", "run.fast();", "over", "theirs"];
  expect(left(parted)).toEqual(parted);
});

test("what the file held, what the task says and what the code uses elsewhere stays", () => {
  const line = "prefer(); mine(); over(); theirs();";
  expect(left([line], { before: "over" })).toEqual([line]);
  expect(left([line], { read: "Mine it." })).toEqual([line]);
  const used = [line, "const total = count(over);"];
  expect(left(used)).toEqual(used);
});

test("a word of the task neither makes a row nor parts one", () => {
  expect(left(["prefer.mine.the.over.theirs"], { read: "the" })).toEqual(["<6>.<4>.the.<4>.<6>"]);
});
