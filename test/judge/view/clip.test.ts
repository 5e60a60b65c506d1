import { expect, test } from "bun:test";
import { bounded } from "../../../src/comparison/judge/view/clip.ts";

test("no character of a text is read twice, and a short one is read whole", () => {
  const text = (length: number) => Array.from({ length }, (_, index) => String.fromCharCode(0x100 + index)).join("");
  for (const length of [19, 20, 21, 39, 40]) expect(bounded(text(length), 10, "|")).toBe(text(length));
  expect(bounded(text(41), 10, "|")).toBe(`${text(41).slice(0, 20)}|${text(41).slice(-20)}`);
});
