import { describe, expect, test } from "bun:test";
import { chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findMemoryGroups, type MemoryGroups } from "../../src/arms/sandbox/memory-group.ts";
import { openBubblewrap } from "../../src/arms/sandbox/open-sandbox.ts";
import { processRow } from "../../src/arms/sandbox/process/process-table.ts";
import { host, type Need, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { Directory, never } from "../workspace/harness.ts";

const groups = findMemoryGroups();

const CGROUP: Need = {
  what: "a cgroup that may be written (run it as root, or by systemd-run --user --scope -p Delegate=yes)",
  met: groups !== null,
};

const PERL: Need = { what: "perl (apt-get install perl)", met: Bun.which("perl") !== null };

const MiB = 1024 * 1024;

const MEMFD_CREATE = process.arch === "arm64" ? 279 : 319;

const perl = (body: string) => `perl -e '${body}'`;

/** One that is held in memory and that nothing else limits. */
const MEMORY_FILE = perl(
  `my ($name, $n) = ("x", ${MEMFD_CREATE}); my $fd = syscall($n, $name, 0); open(my $file, ">&=", $fd); print $file "a" x (1 << 20) for 1 .. 80; sleep 20`,
);

const WAYS: readonly (readonly [name: string, command: string])[] = [
  ["its heap", perl("my $x = q(a) x (400 << 20); sleep 20")],
  [
    "the heaps of several processes",
    `for n in 1 2 3 4; do ${perl("my $x = q(a) x (80 << 20); sleep 20")} & done; wait`,
  ],
  ["memory files of several processes", `for n in 1 2 3 4; do ${MEMORY_FILE} & done; wait`],
  ["temporary directories", "head -c 60M /dev/zero > /dev/shm/a; head -c 200M /dev/zero > /tmp/a; sleep 20"],
  [
    "shared segments that no process holds",
    `for n in 1 2 3 4; do ${perl("my $id = shmget(0, 80 << 20, 0600); shmwrite($id, q(a) x (80 << 20), 0, 80 << 20)")}; done; sleep 20`,
  ],
];

/** Enough for a shell and its programs. */
const small = (of: MemoryGroups): MemoryGroups => ({ ...of, open: () => of.open(200 * MiB) });

async function run(sandbox: ReturnType<typeof openBubblewrap>, command: string, timeout_ms = 15_000) {
  using directory = new Directory();
  if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
  const limits = { timeout_ms, max_output_bytes: 4_000, network: "none" } as const;
  const { ended, exit_code, output } = await sandbox.run({ run: command, directory: directory.path, ...limits }, never);
  return { ended, exit_code, output };
}

const withGroups = (memory: MemoryGroups | null) => openBubblewrap(host, memory);

describe.each([...WAYS])("a command that takes too much memory by %s", (_name, command) => {
  testNeeding(
    SANDBOX,
    CGROUP,
    PERL,
  )("is stopped with memory_limit, and the next one runs", async () => {
    const sandbox = withGroups(groups && small(groups));
    expect(await run(sandbox, command)).toMatchObject({ ended: "memory_limit", exit_code: null });
    expect(await run(sandbox, "echo fine")).toEqual({ ended: "exit", exit_code: 0, output: "fine\n" });
    expect(sandbox.sound).toBe(true);
  });
});

testNeeding(
  SANDBOX,
  CGROUP,
  PERL,
)("a command that goes on when its process was killed for memory is stopped all the same", async () => {
  const { ended } = await run(withGroups(groups && small(groups)), `${WAYS[0]?.[1]}; echo went on; exit 0`);
  expect(ended).toBe("memory_limit");
});

testNeeding(
  SANDBOX,
  CGROUP,
  PERL,
)("a program that is talked to is held to its memory as a command is", async () => {
  using directory = new Directory();
  const sandbox = withGroups(groups && small(groups));
  if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
  const program = { command: `${WAYS[0]?.[1]}`, directory: directory.path, network: "none" } as const;
  await using running = await sandbox.start(program, never);
  expect(await running.ended).toMatchObject({ ended: "memory_limit", exit_code: null });
});

testNeeding(SANDBOX, CGROUP)("the control group of a command is removed with it", async () => {
  await run(withGroups(groups), "sleep 0.1 & setsid sleep 5 & echo x");
  const left = ownGroups();
  expect(left).toEqual([]);
});

/** Of this process, on whatever hierarchy. */
function ownGroups(): readonly string[] {
  const { stdout } = Bun.spawnSync(["find", "/sys/fs/cgroup", "-type", "d", "-name", `abeval-${process.pid}-*`]);
  return stdout.toString().split("\n").filter(Boolean);
}

testNeeding(SANDBOX, PERL)(
  "where the kernel does not count them, memory files and big segments are refused; bun works",
  async () => {
    const size = "print shmget(0, $_, 01600) // $!, qq(\\n) for 56, 64 << 10, 65 << 10, 1 << 32";
    const file = `my ($name, $n) = ("x", ${MEMFD_CREATE}); print syscall($n, $name, 0), qq(\\n)`;
    const piped = "bun -e 'console.log(Bun.spawnSync([\"cat\"], { stdin: Buffer.alloc(100_000) }).stdout.length)'";
    const { output } = await run(withGroups(null), [perl(size), perl(file), piped].join("\n"));
    expect(output.split("\n").slice(2)).toEqual([
      "Operation not permitted",
      "Operation not permitted",
      "-1",
      "100000",
      "",
    ]);
    expect(
      output
        .split("\n")
        .slice(0, 2)
        .every((id) => /^\d+( but true)?$/.test(id)),
    ).toBe(true);
  },
);

describe("a version 2 group", () => {
  /** The files that the kernel would show, of a process that is alone in a group that was given to it. */
  const delegatedTo = (pid: number, files: Readonly<Record<string, string>> = {}) =>
    new Directory({
      "proc/cgroup": "0::/user.slice/run-1.scope\n",
      "fs/user.slice/run-1.scope/cgroup.controllers": "cpu memory pids\n",
      "fs/user.slice/run-1.scope/cgroup.subtree_control": "\n",
      "fs/user.slice/run-1.scope/cgroup.procs": `${pid}\n`,
      ...files,
    });

  const find = (directory: Directory) => {
    const mount = `31 23 0:26 / ${directory.path}/fs rw - cgroup2 cgroup2 rw\n`;
    return Bun.write(join(directory.path, "proc/mountinfo"), mount).then(() =>
      findMemoryGroups(join(directory.path, "proc")),
    );
  };

  test("that was given to this process alone makes room for groups below it", async () => {
    using directory = delegatedTo(process.pid);
    const own = join(directory.path, "fs/user.slice/run-1.scope");
    // A directory that stands in for the kernel's has no files of limits by itself: the trial fails, after all was prepared.
    expect(await find(directory)).toBe(null);
    expect(readFileSync(join(own, "abeval-self/cgroup.procs"), "utf8")).toBe(String(process.pid));
    expect(readFileSync(join(own, "cgroup.subtree_control"), "utf8")).toBe("+memory");
  });

  test("that it shares with its supervisor alone makes room for groups below it, too", async () => {
    const procs = `${process.ppid}\n${process.pid}\n`;
    using directory = delegatedTo(process.pid, { "fs/user.slice/run-1.scope/cgroup.procs": procs });
    await find(directory);
    const own = join(directory.path, "fs/user.slice/run-1.scope");
    expect(readFileSync(join(own, "cgroup.subtree_control"), "utf8")).toBe("+memory");
  });

  test("is cleared of the groups of processes that are gone, and of no others", async () => {
    using directory = delegatedTo(process.pid);
    const own = join(directory.path, "fs/user.slice/run-1.scope");
    const living = `abeval-${process.pid}-${processRow(process.pid)?.started}-b`;
    for (const name of ["abeval-999999999-1-a", `abeval-${process.pid}-1-a`, living, "other-1-1-a"])
      mkdirSync(join(own, name));
    await find(directory);
    const left = readdirSync(own).filter((name) => /-[ab]$/.test(name));
    expect(left.toSorted()).toEqual([living, "other-1-1-a"]);
  });

  test.each([
    ["that others are in too", { "fs/user.slice/run-1.scope/cgroup.procs": `${process.pid}\n1\n` }],
    ["without the memory controller", { "fs/user.slice/run-1.scope/cgroup.controllers": "cpu pids\n" }],
  ])("%s is left as it is", async (_what, files) => {
    using directory = delegatedTo(process.pid, files);
    expect(await find(directory)).toBe(null);
    expect(readdirSync(join(directory.path, "fs/user.slice/run-1.scope")).toSorted()).toEqual([
      "cgroup.controllers",
      "cgroup.procs",
      "cgroup.subtree_control",
    ]);
  });
});
