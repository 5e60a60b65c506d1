import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BubblewrapSandbox } from "../../src/arms/sandbox/bubblewrap.ts";
import { readFault } from "../../src/arms/sandbox/fault.ts";
import { AnonymousFiles } from "../../src/arms/sandbox/isolation/anonymous-file.ts";
import { seccompFilter } from "../../src/arms/sandbox/isolation/seccomp.ts";
import { openSandbox, probeSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { CommandMemory } from "../../src/arms/sandbox/process/command-memory.ts";
import { DiskWatch } from "../../src/arms/sandbox/process/disk-watch.ts";
import { supervise } from "../../src/arms/sandbox/process/supervise.ts";
import type { ExecResult } from "../../src/arms/sandbox/sandbox.ts";
import { Sandboxes } from "../../src/arms/sandbox/sandboxes.ts";
import { Failure } from "../../src/domain/failure.ts";
import { BASH, host, type Need, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { Directory, describeEachKind, never, processesWith, runIn } from "../workspace/harness.ts";

describeEachKind("a command", (kind) => {
  test("gives its exit code and what it printed, both streams in order", async () => {
    const { duration_ms, ...result } = await runIn(kind, "echo one; echo two >&2; echo three; exit 3");
    expect(result).toEqual({ ended: "exit", exit_code: 3, output: "one\ntwo\nthree\n", bytes: 14 });
    expect(duration_ms).toBeGreaterThan(0);
  });

  test("that dies by a signal has 128 and its number as exit code", async () => {
    expect((await runIn(kind, "kill -9 $$")).exit_code).toBe(137);
  });

  test("has bun, and no variable that it was not given", async () => {
    process.env["ABEVAL_CANARY"] = "canary-in-the-environment";
    const { output } = await runIn(kind, "bun -e 'console.log(6 * 7)'; env | sed 's/=.*//' | sort | tr '\\n' ' '");
    delete process.env["ABEVAL_CANARY"];
    const [answer, names = ""] = output.split("\n");
    expect(answer).toBe("42");
    expect(names.replace("USER ", "")).toBe("CI HOME LANG PATH PWD TERM TMPDIR ");
  });

  test("is stopped at its time limit with everything it started", async () => {
    const mark = `3141.59${kind.length}`;
    const run = `sleep ${mark} & (sleep ${mark} & sleep ${mark}) & setsid sleep ${mark} & echo started; wait`;
    // On a busy machine it may be stopped before it has begun.
    const stopped = async (timeout_ms: number): Promise<ExecResult> => {
      const result = await runIn(kind, run, { timeout_ms });
      expect(processesWith(mark)).toEqual([]);
      return result.bytes === 0 ? await stopped(2 * timeout_ms) : result;
    };
    const { ended, exit_code, output } = await stopped(1_000);
    expect({ ended, exit_code, output }).toEqual({ ended: "timeout", exit_code: null, output: "started\n" });
  });

  test("ends when it ends, whatever it left running, and that ends too", async () => {
    const mark = `2718.28${kind.length}`;
    const { ended, output } = await runIn(
      kind,
      `sleep ${mark} & setsid sleep ${mark} & nohup sleep ${mark} & echo done`,
    );
    expect({ ended, output }).toEqual({ ended: "exit", output: "done\n" });
    expect(processesWith(mark)).toEqual([]);
  });

  test("that prints without end is stopped, and its output never lies in memory", async () => {
    const before = process.memoryUsage.rss();
    const { ended, exit_code, output, bytes } = await runIn(kind, "yes abcdefghijklmnopqrstuvwxyz", {
      max_output_bytes: 1_000,
    });
    expect({ ended, exit_code }).toEqual({ ended: "output_limit", exit_code: null });
    expect(bytes).toBeGreaterThan(60_000_000);
    expect(output).toContain(`[... ${bytes - 1_000} bytes left out ...]`);
    expect(output.length).toBeLessThan(1_100);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
  });

  test("that was cancelled throws the signal's reason and leaves nothing behind", async () => {
    const mark = `1618.03${kind.length}`;
    const controller = new AbortController();
    const running = runIn(kind, `sleep ${mark}`, { signal: controller.signal });
    controller.abort(new Error("stopped by the user"));
    await expect(running).rejects.toThrow("stopped by the user");
    expect(processesWith(mark)).toEqual([]);
  });

  test("cancelled at any moment of its start leaves nothing behind", async () => {
    const mark = `1414.21${kind.length}`;
    const cancelledAfter = async (delay_ms: number) => {
      const signal = AbortSignal.timeout(delay_ms);
      await expect(runIn(kind, `sleep ${mark}`, { signal })).rejects.toThrow("timed out");
    };
    await Promise.all(Array.from({ length: 30 }, (_, index) => cancelledAfter(index)));
    expect(processesWith(mark)).toEqual([]);
  });

  test("prints bytes that are no text, and gets text back", async () => {
    const { output, bytes } = await runIn(kind, "printf 'a\\000b\\377c\\033[1m\\r\\n'");
    expect({ output, bytes }).toEqual({ output: "a\ufffdb\ufffdc\u001b[1m\r\n", bytes: 11 });
  });

  test("too long for a process is refused as a shell would refuse it", async () => {
    const { exit_code, output } = await runIn(kind, `: ${"x".repeat(130_000)}`);
    expect(exit_code).toBe(126);
    expect(output).toContain("put it into a file");
  });

  test("cannot make a file of any size", async () => {
    const { output } = await runIn(kind, "truncate -s 1T big 2>&1 || echo refused; stat -c %s big");
    expect(output).toContain("refused\n0\n");
  });
});

testNeeding(SANDBOX)("a fork bomb stays within its sandbox", async () => {
  const bomb = `perl -e 'for (1..1000) { my $p = fork; die "stopped after $_" unless defined $p; if (!$p) { sleep 60 } }'`;
  const { ended, output } = await runIn("bubblewrap", bomb);
  const count = Number(/stopped after (\d+)/.exec(output)?.[1]);
  expect({ ended, bounded: count > 100 && count < 260 }).toEqual({ ended: "exit", bounded: true });
});

testNeeding(SANDBOX)("one process cannot take all memory", async () => {
  const { exit_code, output } = await runIn(
    "bubblewrap",
    "python3 -c 'x = bytearray(1500000000)' 2>&1 || echo refused",
  );
  expect({ exit_code, refused: output.includes("refused") }).toEqual({ exit_code: 0, refused: true });
});

test("many processes together cannot take all memory", async () => {
  using files = new AnonymousFiles();
  using directory = new Directory();
  const hog = `'${process.execPath}' -e 'const held = Buffer.alloc(20_000_000, 1); setTimeout(() => held.length, 60_000)'`;
  const child = Bun.spawn(["sh", "-c", `${hog} & ${hog} & ${hog} & wait`], { detached: true });
  const kill = () => void process.kill(-child.pid, "SIGKILL");
  const disk = new DiskWatch({ directory: directory.path, name: "it", max_bytes: 1e12 });
  const { pid, exited } = child;
  const watched = {
    pid,
    exited,
    output: files.appending(null),
    disks: [disk],
    clock: host.clock,
    kill,
    signal: kill,
    root: () => pid,
  };
  const memory = new CommandMemory(null, child.pid, 60_000_000);
  const tooMuchMemory = () => memory.isExhausted();
  const { ended } = supervise({ ...watched, timeout_ms: 20_000, tooMuchMemory }, never);
  expect((await ended).ended).toBe("memory_limit");
});

/** Every look measures. */
const watchOf = ({ path }: Directory, max_bytes: number) =>
  new DiskWatch({ directory: path, name: "it", max_bytes, suspicious_bytes: Number.NEGATIVE_INFINITY });

test("what several commands took from the disk adds up, and is measured when it is much", async () => {
  using directory = new Directory({ a: "a" });
  const taken = { bytes: 900, unmeasured_bytes: 1_000_000_000 };
  const small = { directory: directory.path, name: "it" };
  {
    // Over this many earlier commands enough has vanished, though this one took nothing.
    using watch = new DiskWatch({ ...small, taken, max_bytes: 1, suspicious_bytes: 500_000_000 });
    expect(await watch.exhausted()).toBe("it may hold 0 MiB");
    expect(taken.unmeasured_bytes).toBe(0);
    expect(await watch.exhausted()).toBeNull();
  }
  expect(taken.bytes).toBeGreaterThanOrEqual(900);
});

test("the watch of a workspace that is gone ends without complaint", () => {
  const directory = new Directory();
  const watch = watchOf(directory, 1);
  directory[Symbol.dispose]();
  expect(() => watch[Symbol.dispose]()).not.toThrow();
});

test("a workspace that outgrows its cap is noticed, but only when the disk has lost much", async () => {
  using directory = new Directory({ "a/b/c": new Uint8Array(3_000_000) });
  // With this threshold every look measures.
  expect(await watchOf(directory, 2_000_000).exhausted()).toBe("it may hold 2 MiB");
  expect(await watchOf(directory, 4_000_000).exhausted()).toBeNull();
  const usual = new DiskWatch({ directory: directory.path, name: "it", max_bytes: 2_000_000, suspicious_bytes: 1e12 });
  expect(await usual.exhausted()).toBeNull();
});

test("measuring a workspace leaves the event loop alone", async () => {
  using directory = new Directory(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`d${n}/f`, "x"])));
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await watchOf(directory, 1_000_000).exhausted();
  clearImmediate(next);
  expect(turns).toBeGreaterThan(0);
});

const ORDINARY_USER: Need = { what: "an ordinary user (root reads everything)", met: process.getuid?.() !== 0 };

testNeeding(ORDINARY_USER)("what was written into a directory that became unreadable counts all the same", async () => {
  // A file system of its own, whose free space nobody else changes by as much.
  using directory = new Directory({ "open/x": "x" }, existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const watch = watchOf(directory, 10_000_000);
  expect(await watch.exhausted()).toBeNull();
  await Bun.write(join(directory.path, "closed/a"), new Uint8Array(30_000_000).fill(1));
  chmodSync(join(directory.path, "closed"), 0);
  expect(await watch.exhausted()).not.toBeNull();
});

testNeeding(SANDBOX)("temporary directories hold only so much", async () => {
  const { output } = await runIn("bubblewrap", "head -c 100M /dev/zero > /dev/shm/a || echo full; du -sm /dev/shm");
  expect(output).toMatch(/full\n6\d\t/);
});

testNeeding(SANDBOX)("where the machine has no bun, the executable serves as one", async () => {
  using bin = new Directory();
  chmodSync(bin.path, 0o755);
  symlinkSync(Bun.which("bwrap") ?? "", join(bin.path, "bwrap"));
  const sandbox = openSandbox("bubblewrap", { ...host, path: bin.path });
  const result = await runWith(sandbox, "command -v bun; bun -e 'console.log(Bun.version)'");
  expect(result).toEqual({ exit_code: 0, output: `/opt/bun/bin/bun\n${Bun.version}\n` });
});

test("without a sandbox, too, the executable serves as bun", async () => {
  const sandbox = openSandbox("none", { ...host, path: "/nowhere" });
  const result = await runWith(sandbox, "bun -e 'console.log(Bun.version)'");
  expect(result).toEqual({ exit_code: 0, output: `${Bun.version}\n` });
});

test("a sandbox that vanished is our failure, never a failing command", async () => {
  const gone = new BubblewrapSandbox({
    program: "/nowhere/bwrap",
    version: "0.8.0",
    owner: null,
    toolchain: { binds: [], scripts: {}, path: [] },
    filter: seccompFilter("x64"),
    memory: null,
    clock: host.clock,
  });
  expect(await failureOf(runWith(gone, "true"))).toEqual({
    code: "sandbox_unavailable",
    reason: "bubblewrap (bwrap) is not installed",
  });
  expect(gone.sound).toBe(false);
});

testNeeding(SANDBOX)("a sandbox that cannot start is our failure, whatever its exit status", async () => {
  const broken = new BubblewrapSandbox({
    program: Bun.which("bwrap") ?? "",
    version: "0.8.0",
    owner: null,
    toolchain: { binds: [{ from: "/nowhere", to: "/opt/x" }], scripts: {}, path: [] },
    filter: seccompFilter("x64"),
    memory: null,
    clock: host.clock,
  });
  const { code, reason } = await failureOf(runWith(broken, "true"));
  expect({ code, named: reason.includes("/nowhere") }).toEqual({ code: "sandbox_unavailable", named: true });
});

/** In the place of bwrap: says when it is answered before it stands, and when it is answered. */
const IMPATIENT = `#!/bin/bash
read -r -t 0.3 early && echo early >&2
echo
read -r go && echo begun >&2
printf '{ "exit-code": 0 }' >&3
`;

testNeeding(BASH)("a command may begin when it is inside its sandbox, not before", async () => {
  using directory = new Directory({ bwrap: IMPATIENT });
  const program = join(directory.path, "bwrap");
  chmodSync(program, 0o755);
  const toolchain = { binds: [], scripts: {}, path: [] };
  const filter = seccompFilter("x64");
  const settings = { program, version: "0.8.0", owner: null, toolchain, filter, memory: null, clock: host.clock };
  expect(await runWith(new BubblewrapSandbox(settings), "true")).toEqual({ exit_code: 0, output: "begun\n" });
});

/** In the place of bwrap: a machine that has no process to spare at first. */
const CROWDED = `#!/bin/bash
echo x >> "$(dirname "$0")/tries"
[ "$(wc -l < "$(dirname "$0")/tries")" -gt 2 ] || { echo "bwrap: Creating new namespace failed: Resource temporarily unavailable" >&2; exit 1; }
echo; read -r go; echo begun >&2
printf '{ "exit-code": 0 }' >&3
`;

/** In the place of bwrap: one that is killed in the middle of a command. */
const KILLED = `#!/bin/bash
echo; read -r go; echo begun >&2
kill -9 $$
`;

const asBubblewrap = (program: string) => {
  chmodSync(program, 0o755);
  const toolchain = { binds: [], scripts: {}, path: [] };
  const filter = seccompFilter("x64");
  return new BubblewrapSandbox({
    ...{ program, version: "0.8.0", owner: null, toolchain, filter, memory: null, clock: host.clock },
  });
};

testNeeding(BASH)("a sandbox that cannot start because the machine is crowded is tried again", async () => {
  using directory = new Directory({ bwrap: CROWDED });
  expect(await runWith(asBubblewrap(join(directory.path, "bwrap")), "true")).toEqual({
    exit_code: 0,
    output: "begun\n",
  });
});

testNeeding(BASH)(
  "a sandbox that a signal ends while its command runs was killed from outside, and runs the next one",
  async () => {
    using directory = new Directory({ bwrap: KILLED });
    const sandbox = asBubblewrap(join(directory.path, "bwrap"));
    expect((await failureOf(runWith(sandbox, "true"))).code).toBe("killed_from_outside");
    expect(sandbox.sound).toBe(true);
  },
);

describe("choosing a sandbox", () => {
  const nowhere = new Sandboxes({ ...host, path: "/nowhere" });

  test("never gives a model a shell without a sandbox unasked", async () => {
    expect((await failureOf(nowhere.choose("auto", true))).code).toBe("sandbox_unavailable");
    expect((await failureOf(nowhere.choose("bubblewrap", false))).code).toBe("sandbox_unavailable");
  });

  test("lets the scenario's own commands run without one, and says so", async () => {
    const { sandbox, note } = await nowhere.choose("auto", false);
    expect(sandbox.kind).toBe("none");
    expect(note).toBe("no sandbox (bubblewrap (bwrap) is not installed): the scenario's own commands run without one");
  });

  test("does without when told to, and says so", async () => {
    const { sandbox, note } = await new Sandboxes(host).choose("none", true);
    expect({ kind: sandbox.kind, note }).toEqual({
      kind: "none",
      note: "no sandbox, as asked: commands can do whatever this user can",
    });
  });

  testNeeding(SANDBOX)("looks again after a sandbox could not start a command", async () => {
    using bin = new Directory();
    chmodSync(bin.path, 0o755);
    const bwrap = join(bin.path, "bwrap");
    symlinkSync(Bun.which("bwrap") ?? "", bwrap);
    const sandboxes = new Sandboxes({ ...host, path: bin.path });
    const { sandbox } = await sandboxes.choose("auto", false);
    rmSync(bwrap);
    expect((await sandboxes.choose("auto", false)).sandbox).toBe(sandbox);
    expect((await failureOf(runWith(sandbox, "true"))).code).toBe("sandbox_unavailable");
    expect((await sandboxes.choose("auto", false)).sandbox.kind).toBe("none");
  });

  testNeeding(SANDBOX)("takes bubblewrap where it works, and tries it once", async () => {
    const sandboxes = new Sandboxes(host);
    const [first, second] = [await sandboxes.choose("auto", true), await sandboxes.choose("bubblewrap", true)];
    expect({ kind: first.sandbox.kind, note: first.note, same: first.sandbox === second.sandbox }).toEqual({
      kind: "bubblewrap",
      note: null,
      same: true,
    });
  });

  test("a probe says why there is no sandbox and what to do", async () => {
    const probe = await probeSandbox(nowhere.host);
    expect(probe.ok ? "" : probe.fix).toContain("apt install bubblewrap");
  });
});

test.each([
  [
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
    "switched off",
  ],
  ["bwrap: setting up uid map: Permission denied", "AppArmor"],
  ["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"],
  [
    "bwrap: No permissions to creating new namespace, likely because the kernel does not allow",
    "may not make user namespaces",
  ],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "masks /proc"],
  ["bwrap: something new", "something new"],
])("%s is told in the user's terms", (said, part) => {
  const { reason, fix } = readFault(said);
  expect(reason).toContain(part);
  expect(fix).toContain("--sandbox none");
});

async function runWith(sandbox: ReturnType<typeof openSandbox>, run: string) {
  using directory = new Directory();
  if (sandbox.owner) Bun.spawnSync(["chown", `${sandbox.owner.uid}`, directory.path]);
  const limits = { timeout_ms: 10_000, max_output_bytes: 5_000, network: "none" } as const;
  const { exit_code, output } = await sandbox.run({ run, directory: directory.path, ...limits }, never);
  return { exit_code, output };
}

async function failureOf(promise: Promise<unknown>): Promise<{ readonly code: string; readonly reason: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, reason: String(error.details?.["reason"]) };
    throw error;
  }
  throw new Error("it did not fail");
}
