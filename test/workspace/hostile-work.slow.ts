import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { removeTree } from "../../src/arms/sandbox/temp-dir.ts";
import { TreeTooLarge } from "../../src/arms/workspace/io-failure.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { readNames } from "../../src/arms/workspace/tree/read-names.ts";
import { walk } from "../../src/arms/workspace/tree/walk.ts";
import { Mistake } from "../../src/domain/failure.ts";
import { type Clock, LoopClock } from "../../src/runtime/clock.ts";
import { Directory, describeEachKind, never, openFixture, ROOMY, shell } from "./harness.ts";

const NO_OVERLAY = { dir: null, files: {} };

test("a walk is given up beyond its entries, those that it leaves out included", async () => {
  using directory = new Directory({ "a/1": "", "a/2": "", "b.txt": "" });
  expect((await walk(directory.path, { max_entries: 4 })).length).toBe(4);
  await expect(walk(directory.path, { max_entries: 3 })).rejects.toThrow(TreeTooLarge);
  await expect(walk(directory.path, { max_entries: 3, skip: () => true })).resolves.toEqual([]);
  await expect(walk(directory.path, { max_entries: 1, skip: () => true })).rejects.toThrow(TreeTooLarge);
});

test("thousands of names that decode to one text take no time for each pair of them", async () => {
  using directory = new Directory({}, ROOMY);
  const root = Buffer.from(`${directory.path}/`);
  for (let n = 0; n < 25_000; n += 1) {
    const name = [0x80 + (n & 63), 0x80 + ((n >> 6) & 63), 0x80 + ((n >> 12) & 63)];
    writeFileSync(Buffer.concat([root, Buffer.from(name)]), "");
  }
  const paths = (await walk(directory.path)).map(({ path }) => path);
  expect(new Set(paths).size).toBe(25_000);
});

test("holes stay holes in a copy, and other names of a file stay names", async () => {
  await using pristine = openFixture({});
  await using workspace = pristine.open();
  const holes = "for n in 1 2 3; do truncate -s 200M sparse$n; printf end >> sparse$n; done";
  const links = "head -c 5000000 /dev/urandom > one; for n in $(seq 20); do ln one link$n; done";
  await workspace.exec(shell(`${holes}; ${links}`), never);
  const { workspace: fork } = await workspace.fork({ restore: [], overlay: NO_OVERLAY });
  await using copy = fork;
  const look = "cmp one link7 && tail -c 3 sparse2 && stat -c ' %s' sparse2 && stat -c %h link7 && du -sk . | cut -f1";
  const [content, names, kilobytes] = (await copy.exec(shell(look), never)).output.split("\n");
  expect([content, names]).toEqual(["end 209715203", "21"]);
  expect(Number(kilobytes)).toBeLessThan(20_000);
});

test.each([
  ["is given up", false],
  ["goes on where our own loop stood still", true],
])("a copy that takes longer than it may %s", async (_, by_loop) => {
  let [now, asked] = [0, 0];
  const loop = new LoopClock({ now: () => new Date(0), ticks: () => now });
  const clock: Clock = {
    now: () => new Date(0),
    ticks: () => {
      asked += 1;
      if (asked === 3) now += 120_000;
      return by_loop ? loop.ticks() : now;
    },
    watch: () => loop.watch(),
  };
  await using pristine = openPristine({
    source: { dir: null, files: { "a.txt": "a" } },
    ...{ sandbox: openSandbox("none"), keep: false, clock },
  });
  await using workspace = pristine.open();
  for (const path of ["b.txt", "c.txt", "d.txt", "e.txt"]) await workspace.writeText(path, "x");
  const fork = workspace.fork({ restore: [], overlay: NO_OVERLAY });
  if (!by_loop) return expect(fork).rejects.toThrow("could not be copied in time");
  await using copy = (await fork).workspace;
  expect((await copy.list()).map(({ path }) => path)).toHaveLength(5);
});

test("work that claims more than a workspace may hold is not copied, and the arm is told why", async () => {
  await using pristine = openFixture({});
  await using workspace = pristine.open();
  await workspace.exec(shell("for n in $(seq 9); do truncate -s 250M f$n; done"), never);
  const fork = workspace.fork({ restore: [], overlay: NO_OVERLAY });
  await expect(fork).rejects.toThrow("The files of the workspace are 2359296000 bytes long together");
  await expect(workspace.fork({ restore: [], overlay: NO_OVERLAY })).rejects.toThrow(Mistake);
});

describeEachKind("a workspace that a command made unreadable", (kind) => {
  test("is open again for the next command and reader", async () => {
    await using pristine = openFixture({ "a.txt": "a\n" }, { kind });
    await using workspace = pristine.open();
    const modes = ["000", "111", "444"];
    for (const mode of modes) {
      const { exit_code } = await workspace.exec(shell(`echo ${mode} > b.txt; chmod ${mode} .`), never);
      expect([exit_code, await workspace.readText("b.txt")]).toEqual([0, `${mode}\n`]);
    }
    await workspace.exec(shell("chmod 000 ."), never);
    expect((await workspace.list()).map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
  });
});

test("without a sandbox, a workspace whose directory a command removed is empty", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" });
  await using workspace = pristine.open();
  await workspace.exec(shell('rm -rf "$PWD"; ln -s /etc "$PWD"'), never);
  const { output } = await workspace.exec(shell("ls -A; pwd"), never);
  expect(output.trim()).toBe(workspace.location ?? "");
  expect((await workspace.changes()).files.map(({ path, status }) => [path, status])).toEqual([["a.txt", "deleted"]]);
});

test("comparing files that differ leaves none open", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `${index}.txt`);
  await using pristine = openFixture(Object.fromEntries(names.map((name) => [name, "before\n"])));
  await using workspace = pristine.open();
  await workspace.exec(shell("for f in *.txt; do echo behind > $f; done"), never);
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  expect((await workspace.changes()).files.length).toBe(50);
  expect(open() - before).toBeLessThan(20);
});

test("a deep tree is removed at once", async () => {
  using directory = new Directory();
  // Fifteen levels at once: more are no path. Without PWD, which would soon be too long for any program to be started.
  const levels = "mkdir -p $d; cd -P $d; unset PWD OLDPWD";
  const nest = `set -e; d=$(printf %0200d/ $(seq 15)); n=0; while [ $n -lt 100 ]; do ${levels}; n=$((n+1)); done`;
  mkdirSync(join(directory.path, "deep"));
  const { exitCode } = Bun.spawnSync(["/bin/sh", "-c", nest], { cwd: join(directory.path, "deep") });
  expect(exitCode).toBe(0);
  await removeTree(join(directory.path, "deep"), { patience_ms: 60_000 });
  expect(readdirSync(directory.path)).toEqual([]);
});

/** More than this process removes itself. */
const LARGE = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`tree/a/${n}`, ""]));

test("nobody waits for a removal that takes long", async () => {
  using directory = new Directory({ ...LARGE, endless: "#!/bin/sh\nexec sleep 60\n" });
  const program = join(directory.path, "endless");
  chmodSync(program, 0o755);
  await removeTree(join(directory.path, "tree"), { patience_ms: 0, program });
  expect(readdirSync(directory.path).sort()).toEqual(["endless", "tree"]);
});

test.each([
  ["has no program for it", null],
  ["cannot start one", "/nowhere/rm"],
])("a tree is removed where the machine %s", async (_, program) => {
  using directory = new Directory(LARGE);
  await removeTree(join(directory.path, "tree"), { program });
  expect(readdirSync(directory.path)).toEqual([]);
});

describe("a large directory", () => {
  let directory: Directory;
  let large: string;

  beforeAll(() => {
    directory = new Directory();
    large = join(directory.path, "large");
    mkdirSync(large);
    // Long names make it large with few of them.
    for (let n = 0; n < 1_500; n += 1) writeFileSync(join(large, `${"n".repeat(240)}${n}`), "");
    expect(lstatSync(large).size).toBeGreaterThan(256 * 1024);
  });
  afterAll(() => directory[Symbol.dispose]());

  test("is read in slices, and no further than needed", async () => {
    expect((await walk(large, { max_entries: 1_500 })).length).toBe(1_500);
    await expect(walk(large, { max_entries: 100 })).rejects.toThrow("There are more than 100 files");
  });

  test.each([
    ["breaks off", "#!/bin/sh\nprintf './a\\0'; kill -9 $$\n", 0o755],
    ["fails", "#!/bin/sh\nprintf './a\\0'; exit 1\n", 0o755],
    ["cannot be started", "", 0o644],
  ])("has all its names when the program that lists it %s", async (_, script, mode) => {
    using programs = new Directory({ find: script });
    const find = join(programs.path, "find");
    chmodSync(find, mode);
    expect((await readNames(large, 2_000, find)).length).toBe(1_500);
  });
});

test("a path longer than any file's is a mistake", async () => {
  await using pristine = openFixture({});
  await using workspace = pristine.open();
  await expect(workspace.writeText("a/".repeat(500_000), "x")).rejects.toThrow(Mistake);
  await expect(workspace.readText(`${"n".repeat(300)}`)).rejects.toThrow(Mistake);
});

test("putting back deep files before a check takes no time for their depth", async () => {
  await using pristine = openFixture({ "tests/a.txt": "a\n" });
  await using workspace = pristine.open();
  const deep = "mkdir -p tests/$(printf 'a/%.0s' $(seq 1000)); cd tests/$(printf 'a/%.0s' $(seq 1000))";
  await workspace.exec(shell(`echo evil > tests/a.txt; ${deep}; for n in $(seq 1200); do : > f$n; done`), never);
  const { workspace: fork, restored } = await workspace.fork({ restore: ["tests/**"], overlay: NO_OVERLAY });
  await using copy = fork;
  expect({ restored: restored.length, left: await copy.list() }).toEqual({
    restored: 1_201,
    left: [{ path: "tests/a.txt", size: 2 }],
  });
});

test.each([
  ["a hidden file lies there", "hidden.py/deep"],
  ["it is put back as it was", "tests/deep"],
])("what a fork replaces is not copied first: %s", async (_, directory) => {
  await using pristine = openFixture({ "tests/a.txt": "a\n" });
  await using workspace = pristine.open();
  // More than a copy may hold.
  const holes = `mkdir -p ${directory}; cd ${directory}; for n in $(seq 9); do truncate -s 250M f$n; done`;
  await workspace.exec(shell(holes), never);
  const overlay = { dir: null, files: { "./hidden.py": "pass\n" } };
  const { workspace: fork } = await workspace.fork({ restore: ["tests/**"], overlay });
  await using copy = fork;
  expect((await copy.list()).map(({ path }) => path)).toEqual(["hidden.py", "tests/a.txt"]);
});
