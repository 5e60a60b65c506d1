import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findMemoryGroups, type MemoryGroups } from "../../src/arms/sandbox/memory-group.ts";
import { openBubblewrap, openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import type { Sandbox } from "../../src/arms/sandbox/sandbox.ts";
import { Failure } from "../../src/domain/failure.ts";
import { host, type Need, SANDBOX } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { until } from "../turns.ts";
import { Directory, never, processesWith } from "../workspace/harness.ts";
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

const groups = findMemoryGroups();

const CGROUP: Need = {
  what: "a cgroup that may be written (run it as root, or by systemd-run --user --scope -p Delegate=yes)",
  met: groups !== null,
};

const MiB = 1024 * 1024;

/** Takes memory until something stops it, and goes on in a shell whatever that is. */
const GREEDY = "head -c 1G /dev/zero | tail -c 1G | wc -c; true";

/** Memory groups that stand in a group of this machine with a limit of its own. */
class Around implements Disposable {
  readonly groups: MemoryGroups | null;
  readonly #directory: string;
  readonly #proc: Directory;

  constructor(max_bytes: number) {
    const line = readFileSync("/proc/self/cgroup", "utf8")
      .split("\n")
      .find((it) => /:memory:/.test(it));
    const [, , path = "/"] = line?.split(":") ?? [];
    const name = `around-${crypto.randomUUID()}`;
    this.#directory = join("/sys/fs/cgroup/memory", path, name);
    mkdirSync(this.#directory);
    writeFileSync(join(this.#directory, "memory.limit_in_bytes"), String(max_bytes));
    this.#proc = new Directory({
      cgroup: `4:memory:${join(path, name)}\n`,
      mountinfo: readFileSync("/proc/self/mountinfo", "utf8"),
    });
    this.groups = findMemoryGroups(this.#proc.path);
  }

  [Symbol.dispose](): void {
    this.#proc[Symbol.dispose]();
    rmdirSync(this.#directory);
  }
}

const V1: Need = { what: "control groups of version 1", met: groups?.version === "v1" };

describe("a process that the kernel kills for lack of memory", () => {
  testNeeding(
    SANDBOX,
    CGROUP,
    V1,
  )("at a limit around abeval was killed from outside", async () => {
    using around = new Around(100 * MiB);
    expect(around.groups).not.toBe(null);
    expect(await endOf(openBubblewrap(host, around.groups), GREEDY)).toMatchObject({
      code: "killed_from_outside",
      message: expect.stringContaining("ran out of memory"),
    });
  });

  testNeeding(
    SANDBOX,
    CGROUP,
    V1,
  )("at its command's own limit is the command's doing, also below a limit around it", async () => {
    using around = new Around(900 * MiB);
    const { groups: own } = around;
    const small = own && { ...own, open: () => own.open(100 * MiB) };
    expect(await endOf(openBubblewrap(host, small), GREEDY)).toEqual({ ended: "memory_limit", exit_code: null });
  });
});
