import { expect, test } from "bun:test";
import { closestTo, didYouMean } from "../../src/domain/did-you-mean.ts";

test.each([
  ["a letter too few", "modl", ["name", "model"], "model"],
  ["swapped letters, before a word that is as near", "modle", ["module", "model"], "model"],
  ["another case", "Prompt", ["prompt", "probe"], "prompt"],
  ["a short word, one letter off", "rnu", ["run", "mcp"], "run"],
  ["a word that is too far off", "budget", ["prompt", "model"], undefined],
  ["a short word of other letters", "ab", ["id"], undefined],
  ["nothing that is known", "model", [], undefined],
  ["a text too long for a slip", "model".repeat(13), ["model".repeat(13)], undefined],
])("the word that was meant: %s", (_, written, known, meant) => {
  expect(closestTo(written, known)).toBe(meant);
});

test("a known word that is long is compared with nothing", () => {
  expect(closestTo("trial", [`trial${" ".repeat(100)}`])).toBeUndefined();
});

test("a name is suggested only when one is near", () => {
  expect([didYouMean("tsak", ["task"]), didYouMean("tsak", ["rubric"])]).toEqual(['; did you mean "task"?', ""]);
});
