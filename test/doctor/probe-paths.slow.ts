import { expect, test } from "bun:test";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";
import { saidOfProof as saidOf, UNPROVED } from "./small-scenario.ts";

test("a path that hidden files repeat is compared once with a long prompt", async () => {
  const checks = [{ id: "greeting", run: "true" }];
  const script = "cat res/a.txt\n".repeat(18_000);
  const ratio = await cpuRatio({
    n: 4,
    input: (n) => ({
      prompt: `${"Write it. ".repeat(600 * n)}a.txt`,
      files: Object.fromEntries(Array.from({ length: n }, (_, index) => [`hid/${index}.sh`, script])),
    }),
    read: async ({ prompt, files }) =>
      expect(await saidOf({ prompt, probe: { dir: "hid", checks } }, files)).toBe(UNPROVED),
  });
  expect(ratio).toBeLessThan(LINEAR);
});
