import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { oomKillsAround } from "../../src/arms/sandbox/memory-group.ts";
import { openBubblewrap, openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import type { Sandbox } from "../../src/arms/sandbox/sandbox.ts";
import { Failure } from "../../src/domain/failure.ts";
import { host, SANDBOX } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { until } from "../turns.ts";
import { never, processesWith } from "../workspace/harness.ts";
import { LimitAround, MEMORY_LIMITS } from "./limit-around.ts";
import { started, workspaceOf } from "./programs.ts";

const LIMITS = { timeout_ms: 20_000, max_output_bytes: 4_000, network: "none" } as const;

/** How a command ends, or the failure in place of an end. */
async function endOf(sandbox: Sandbox, run: string) {
  using workspace = workspaceOf(sandbox);
  return await sandbox
    .run({ run, directory: workspace.path, ...LIMITS }, never)
    .then(({ ended, exit_code }) => ({ ended, exit_code }), failureIn);
}

function failureIn(error: unknown) {
  if (!(error instanceof Failure)) throw error;
  const { code, retryable, message } = error;
  return { code, retryable, message };
}

const pidsWith = (mark: string) => processesWith(mark).map((path) => Number(/\d+/.exec(path)?.[0]));

/** Sends a signal to every process of a command as a service manager does, the sandbox around it first. */
async function signalTree(mark: string, signal: NodeJS.Signals): Promise<void> {
  await until(() => pidsWith(mark).length > 2);
  for (const pid of pidsWith(mark).toSorted((one, other) => one - other)) signalProcess(pid, signal);
}

const NUMBERS = { SEGV: 11, ABRT: 6, BUS: 7, FPE: 8, ILL: 4, PIPE: 13, TERM: 15, KILL: 9, HUP: 1 } as const;

const endOfSelf = (kind: Sandbox["kind"], name: keyof typeof NUMBERS) =>
  endOf(openSandbox(kind, host), `kill -${name} $$; sleep 30`);

describeNeeding(SANDBOX)("what runs in a sandbox", () => {
  test.each(["SIGTERM", "SIGKILL", "SIGINT"] as const)(
    "and gets a %s from outside has no end of its own",
    async (signal) => {
      const sandbox = openSandbox("bubblewrap", host);
      const mark = `141.42${signal}`;
      const ended = endOf(sandbox, `: ${mark}; sleep 30; true`);
      await signalTree(mark, signal);
      expect(await ended).toMatchObject({
        code: "killed_from_outside",
        retryable: true,
        message: expect.stringContaining(`${signal} ended the sandbox around it (process `),
      });
      expect(await endOf(sandbox, "exit 3")).toEqual({ ended: "exit", exit_code: 3 });
    },
  );

  test("and is talked to has no end of its own either", async () => {
    const mark = "173.205";
    await using running = await started("bubblewrap", `: ${mark}; read -r _; true`);
    await signalTree(mark, "SIGTERM");
    await expect(running.process.ended).rejects.toMatchObject({ code: "killed_from_outside" });
  });

  test.each(["SEGV", "ABRT", "BUS", "FPE", "ILL", "PIPE", "TERM", "KILL", "HUP"] as const)(
    "and ends itself by SIG%s has ended",
    async (name) => {
      expect(await endOfSelf("bubblewrap", name)).toEqual({ ended: "exit", exit_code: 128 + NUMBERS[name] });
    },
  );

  test("and whose command alone is killed from outside has ended: that cannot be told from its own doing", async () => {
    const seconds = "223.606";
    const ended = endOf(openSandbox("bubblewrap", host), `exec sleep ${seconds}`);
    const inner = () => pidsWith(seconds).filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "sleep\n");
    await until(() => inner().length > 0);
    for (const pid of inner()) signalProcess(pid, "SIGKILL");
    expect(await ended).toEqual({ ended: "exit", exit_code: 137 });
  });
});

test("without a sandbox a command that a signal ends has ended", async () => {
  expect(await endOfSelf("none", "TERM")).toEqual({ ended: "exit", exit_code: 143 });
});

const MiB = 1024 * 1024;

/** Takes memory until something stops it, and goes on in a shell whatever that is. */
const GREEDY = "head -c 1G /dev/zero | tail -c 1G | wc -c; true";

describe("a process that the kernel kills for lack of memory", () => {
  testNeeding(SANDBOX, MEMORY_LIMITS)("at a limit around abeval was killed from outside", async () => {
    using around = new LimitAround(100 * MiB);
    expect(around.groups).not.toBe(null);
    expect(await endOf(openBubblewrap(host, around.groups), GREEDY)).toMatchObject({
      code: "killed_from_outside",
      message: expect.stringContaining("ran out of memory"),
    });
  });

  testNeeding(MEMORY_LIMITS)("is counted where a command has no group of its own", async () => {
    using around = new LimitAround(50 * MiB);
    expect(oomKillsAround(around.proc)).toBe(0);
    await Bun.spawn(around.inside(["sh", "-c", "head -c 1G /dev/zero | tail -c 1G"]), { stdout: "ignore" }).exited;
    expect(oomKillsAround(around.proc)).toBe(1);
  });

  testNeeding(SANDBOX, MEMORY_LIMITS)(
    "at its command's own limit is the command's doing, also below a limit around it",
    async () => {
      using around = new LimitAround(900 * MiB);
      const { groups: own } = around;
      const small = own && { ...own, open: () => own.open(100 * MiB) };
      expect(await endOf(openBubblewrap(host, small), GREEDY)).toEqual({ ended: "memory_limit", exit_code: null });
    },
  );
});
