import { expect } from "bun:test";
import { limited } from "../../src/arms/sandbox/bubblewrap-arguments.ts";
import { PRLIMIT } from "../machine.ts";
import { testNeeding } from "../needs.ts";

const start = () =>
  Bun.spawn([...limited(["/usr/bin/env"], { argv: ["/bin/sh", "-c", "echo begun; cat; echo over"], output: 2 })], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: "/usr/bin:/bin" },
  });

testNeeding(PRLIMIT)("a command begins when it is answered, with nothing on its standard input", async () => {
  const { stdin, stdout, stderr, exited } = start();
  const reader = stdout.getReader();
  expect((await reader.read()).value).toEqual(new TextEncoder().encode("\n"));
  stdin.write("\n");
  expect([await exited, await new Response(stderr).text()]).toEqual([0, "begun\nover\n"]);
  expect((await reader.read()).done).toBe(true);
});

testNeeding(PRLIMIT)("a command whose parent process is gone never begins", async () => {
  const { stdin, stderr, exited } = start();
  await stdin.end();
  expect([await exited, await new Response(stderr).text()]).toEqual([1, ""]);
});
