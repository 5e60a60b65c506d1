import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { limited } from "../../src/workspace/sandbox/bubblewrap-arguments.ts";

test.skipIf(!existsSync("/usr/bin/timeout"))("a command that nobody watches any more ends by itself", async () => {
  // Five seconds of grace less four: one second.
  const child = Bun.spawn([...limited({ run: "sleep 60", timeout_ms: -4_000 })], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  await child.exited;
  expect(child.signalCode === "SIGKILL" || child.exitCode === 137).toBe(true);
});
