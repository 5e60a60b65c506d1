import { expect, test } from "bun:test";
import { ROOT } from "./abeval.ts";

test("what a test starts prints no colours, though FORCE_COLOR is set as on a terminal", () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test", "./test/find-program.test.ts"], {
    cwd: ROOT,
    env: { ...process.env, FORCE_COLOR: "1" },
  });
  expect(exitCode, stderr.toString()).toBe(0);
});
