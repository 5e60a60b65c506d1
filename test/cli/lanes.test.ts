import { expect, test } from "bun:test";
import { cells, metered } from "../../src/doors/cli/terminal/lanes.ts";
import { Painter } from "../../src/doors/cli/terminal/paint.ts";

test.each([
  ["plain text", 5, "plai…"],
  ["plain", 5, "plain"],
  ["日本語テキスト", 7, "日本語…"],
  ["日本語テキスト", 6, "日本…"],
  ["short", 40, "short"],
  ["👩‍🔬 x", 0, ""],
])("%p takes at most %i cells", (text, width, start) => {
  expect(cells(text, width)).toBe(start);
});

const USES = [
  ["turns", 12, 40],
  ["calls", 34, 120],
  ["tokens", 123_456, 1_000_000],
  ["s", 61, 600],
] as const;

test.each([
  [
    120,
    "▶ arm-with-a-name  ███░░░░░░░ 12/40 turns  ███░░░░░░░ 34/120 calls  █░░░░░░░░░ 123k/1M tokens  █░░░░░░░░░ 61/600 s",
  ],
  [100, "▶ arm-with-a-name  ██░░░░ 12/40 turns  ██░░░░ 34/120 calls  █░░░░░ 123k/1M tokens  █░░░░░ 61/600 s"],
  [80, "▶ arm-with-a-name  12/40 turns  34/120 calls  123k/1M tokens  61/600 s"],
  [60, "▶ arm-with-a-name  12/40 turns  34/120 calls"],
])("at %i columns bars give way to budgets, and no budget is cut", (columns, line) => {
  const painter = Object.defineProperty(new Painter(false), "columns", { get: () => columns });
  expect(metered("▶ arm-with-a-name", USES, painter)).toBe(line);
});
