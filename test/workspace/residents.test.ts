import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import type { SandboxedProcess } from "../../src/arms/sandbox/sandbox.ts";
import { Residents } from "../../src/arms/workspace/residents.ts";
import { host, LINUX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { Directory, never } from "./harness.ts";

/** A program that is never idle, and its number. */
async function busy(directory: string): Promise<{ readonly program: SandboxedProcess; readonly pid: number }> {
  const command = "echo $$; while :; do :; done";
  const program = await openSandbox("none", host).start({ command, directory, network: "none" }, never);
  for await (const chunk of program.stdout) return { program, pid: Number(Buffer.from(chunk).toString()) };
  throw new Error("it said nothing");
}

/** T: stopped. */
const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.charAt(0);

testNeeding(LINUX)(
  "programs of a workspace stand still during work of the host, until the last of several is done",
  async () => {
    using directory = new Directory();
    const { program, pid } = await busy(directory.path);
    await using residents = new Residents();
    residents.add(program);
    const later = Promise.withResolvers<void>();
    const long = residents.quietly(async () => {
      await later.promise;
      return stateOf(pid);
    });
    expect(await residents.quietly(async () => stateOf(pid))).toBe("T");
    expect(stateOf(pid)).toBe("T");
    later.resolve();
    expect(await long).toBe("T");
    expect(stateOf(pid)).not.toBe("T");
  },
);

testNeeding(LINUX)("work that fails lets them go on, and they end with their workspace", async () => {
  using directory = new Directory();
  const { program, pid } = await busy(directory.path);
  const residents = new Residents();
  residents.add(program);
  const failing = residents.quietly(async () => {
    throw new Error("no such file");
  });
  expect(await failing.catch((error) => error.message)).toBe("no such file");
  expect(stateOf(pid)).not.toBe("T");
  await residents[Symbol.asyncDispose]();
  expect((await program.ended).ended).toBe("killed");
});

test("a workspace in which nothing lives works at once", async () => {
  await using residents = new Residents();
  expect(await residents.quietly(async () => "done")).toBe("done");
});
