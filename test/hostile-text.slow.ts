import { expect, test } from "bun:test";
import { cpuRatio, LINEAR } from "./cpu-ratio.ts";
import { type Family, READERS, USUAL } from "./hostile-readers.ts";

const ROWS = READERS.flatMap(({ families, ...reader }) =>
  [...USUAL, ...families].map((family) => ({ n: 4_000, ...reader, family, given: JSON.stringify(family) })),
);

test.each(ROWS)("$reads: linear in $given", async ({ n, read, family }) => {
  expect(await cpuRatio({ n, input: (size) => textOf(family, size), read })).toBeLessThan(LINEAR);
});

function textOf(family: Family, size: number): string {
  const [before, repeated, behind = ""] = typeof family === "string" ? ["", family] : family;
  // From bytes: a text that was put together would be walked over once before it is read.
  return Buffer.from(before + repeated.repeat(Math.ceil(size / repeated.length)) + behind).toString();
}
