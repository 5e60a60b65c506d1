import { expect, test } from "bun:test";
import { printable, printableJson } from "../../src/cli/printable.ts";

const HOSTILE = "a\u001b[2Jb\u009b2Jc\u202ed\u200be\u0007\u007f\nf\tg";

test("nothing that steers a terminal is printed; lines and tabs stay", () => {
  expect(printable(HOSTILE)).toBe("a[2Jb2Jcde\nf\tg");
});

test("JSON keeps its value and holds no such character raw", () => {
  const json = printableJson(JSON.stringify({ text: HOSTILE }));
  expect(JSON.parse(json)).toEqual({ text: HOSTILE });
  expect(json).toBe(printable(json));
});
