import { expect, test } from "bun:test";

const MODULE = `${import.meta.dir}/../../src/cli/write-now.ts`;

/** Runs code when its stdin has ended. */
const run = (code: string) =>
  Bun.spawn([process.execPath, "-e", `import { writeNow } from "${MODULE}"; await Bun.stdin.text(); ${code}`], {
    stdio: ["pipe", "pipe", "pipe"],
  });

test("a text larger than a pipe arrives whole", async () => {
  const child = run('process.exit(writeNow(1, "é".repeat(500_000)).length)');
  child.stdin.end();
  expect(await new Response(child.stdout).text()).toBe("é".repeat(500_000));
  expect(await child.exited).toBe(0);
});

test("what nobody reads any more is left, without an error", async () => {
  const child = run('console.error(writeNow(1, "é").length)');
  await child.stdout.cancel();
  child.stdin.end();
  expect(await new Response(child.stderr).text()).toBe("2\n");
  expect(await child.exited).toBe(0);
});
