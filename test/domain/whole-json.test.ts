import { expect, test } from "bun:test";
import { wholeJson } from "../../src/domain/whole-json.ts";

test("half a surrogate pair becomes the replacement character, in keys too, and nothing else changes", () => {
  const value = {
    "k\ud83d": ["\udc00x", "whole 😀", "a text \\ud800 of seven", "\\\\ud8", '\n\t"\u0001'],
    n: 1,
    none: null,
  };
  const read = JSON.parse(wholeJson(value)) as unknown;
  expect(read).toEqual({
    "k\ufffd": ["\ufffdx", "whole 😀", "a text \\ud800 of seven", "\\\\ud8", '\n\t"\u0001'],
    n: 1,
    none: null,
  });
  expect(wholeJson({ plain: ["ä😀"] }, 2)).toBe(JSON.stringify({ plain: ["ä😀"] }, null, 2));
});

test("a backslash before what looks like an escape is text", () => {
  for (let slashes = 0; slashes < 6; slashes += 1) {
    const text = `${"\\".repeat(slashes)}ud800${"\\".repeat(slashes)}\ud800`;
    expect(JSON.parse(wholeJson(text))).toBe(text.toWellFormed());
  }
});
