import { expect, test } from "bun:test";
import { cpuRatio, LINEAR } from "./cpu-ratio.ts";

const text = (n: number) => "ab".repeat(n);

test("a reader that looks at each character once is linear", async () => {
  expect(await cpuRatio({ n: 100_000, input: text, read: (all) => [...all].length })).toBeLessThan(LINEAR);
});

test("a reader that looks at all the rest for each character is not", async () => {
  const read = (all: string) => [...all].filter((_, at) => all.includes("c", at)).length;
  expect(await cpuRatio({ n: 10_000, input: text, read })).toBeGreaterThan(LINEAR);
});

test("work that is done later counts", async () => {
  const read = async (all: string) => {
    await Promise.resolve();
    return [...all].filter((_, at) => all.includes("c", at)).length;
  };
  expect(await cpuRatio({ n: 10_000, input: text, read })).toBeGreaterThan(LINEAR);
});
