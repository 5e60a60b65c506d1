import { expect, test } from "bun:test";
import { plainJson, plainText } from "../../src/domain/plain-text.ts";

const HOSTILE = "a\u001b[2Jb\u009b2Jc\u202ed\u200be\u0007\u007f\nf\tg";

test("control characters of a terminal are removed, and line ends and tabs stay", () => {
  expect(plainText(HOSTILE)).toBe("a[2Jb2Jcde\nf\tg");
});

test("JSON keeps its value and has control characters escaped", () => {
  const json = plainJson(JSON.stringify({ text: HOSTILE }));
  expect(JSON.parse(json)).toEqual({ text: HOSTILE });
  expect(json).toBe(plainText(json));
});
