import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../src/arms/sandbox/sandbox.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { Failure, Mistake } from "../../src/domain/failure.ts";
import { never, shell } from "./harness.ts";

/** A machine whose disk fills up whenever a command is to be started, `before` anything else is done. */
const failing = (code: string, before: (directory: string) => void = () => undefined): Sandbox => ({
  kind: "none",
  owner: null,
  start: () => Promise.reject(new Error("not asked for")),
  run: async ({ directory }) => {
    before(directory);
    throw Object.assign(new Error(code), { code });
  },
});

async function faultOf(sandbox: Sandbox): Promise<unknown> {
  await using pristine = openPristine({ source: { dir: null, files: {} }, sandbox, keep: false });
  await using workspace = pristine.open();
  return await workspace.exec(shell("true"), never).catch((error: unknown) => error);
}

test.each(["ENOSPC", "EDQUOT", "EAGAIN"])("%s is no fault of an arm that has written next to nothing", async (code) => {
  const fault = await faultOf(failing(code));
  expect(fault).toBeInstanceOf(Failure);
  expect(fault).toMatchObject({ code: "workspace_failed" });
});

test("a full disk is the mistake of an arm whose workspace holds much", async () => {
  const fill = (directory: string) => writeFileSync(join(directory, "big"), Buffer.alloc(65 * 1024 * 1024, "x"));
  const fault = await faultOf(failing("ENOSPC", fill));
  expect(fault).toBeInstanceOf(Mistake);
  expect(fault).toMatchObject({ message: "The command cannot be started: the disk is full." });
  expect(await faultOf(failing("EAGAIN", fill))).toBeInstanceOf(Failure);
});
