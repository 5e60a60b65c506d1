import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import type { Sandbox } from "../../src/arms/sandbox/sandbox.ts";
import { makeTempDir, sandboxOwner, sweepTempDirs } from "../../src/arms/sandbox/temp-dir.ts";
import { findToolchain } from "../../src/arms/sandbox/toolchain.ts";
import { locate, workspacePath } from "../../src/arms/workspace/files.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { Failure, Mistake } from "../../src/domain/failure.ts";
import { host, LINUX, ROOT_USER, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { Directory, describeEachKind, never, openFixture, shell } from "./harness.ts";

const mistake = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Mistake) return error.message;
    throw error;
  }
  throw new Error("it was no mistake");
};

const failure = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("it did not fail");
};

describeEachKind("a workspace", (kind) => {
  test("is a private copy: what one arm does, the other and the fixture never see", async () => {
    using fixture = new Directory({ "a.txt": "a\n" });
    await using pristine = openFixture({ "inline.txt": "i\n" }, { dir: fixture.path, kind });
    await using first = pristine.open();
    await using second = pristine.open();
    await first.exec(shell("echo b > a.txt; echo n > new.txt"), never);
    expect([await first.readText("a.txt"), await second.readText("a.txt"), await pristine.text("a.txt")]).toEqual([
      "b\n",
      "a\n",
      "a\n",
    ]);
    expect(await second.list()).toEqual([
      { path: "a.txt", size: 2 },
      { path: "inline.txt", size: 2 },
    ]);
    expect(readFileSync(join(fixture.path, "a.txt"), "utf8")).toBe("a\n");
  });

  test("writes files that commands can change, and reads what commands wrote", async () => {
    await using pristine = openFixture({}, { kind });
    await using workspace = pristine.open();
    await workspace.writeText("src/deep/a.txt", "one\n");
    const { exit_code } = await workspace.exec(
      shell("cd src/deep && echo two >> a.txt && mv a.txt b.txt && mkdir ../c"),
      never,
    );
    expect(exit_code).toBe(0);
    expect(await workspace.readText("src/deep/b.txt")).toBe("one\ntwo\n");
  });

  test("starts after setup: its result is what every arm gets, and is no change", async () => {
    await using pristine = openFixture({ "a.txt": "a\n" }, { kind });
    await pristine.setup([{ run: "mkdir made && cp a.txt made/b.txt", timeout_s: 10 }], never);
    await using workspace = pristine.open();
    expect(await workspace.readText("made/b.txt")).toBe("a\n");
    expect((await workspace.changes()).files).toEqual([]);
  });

  test("a setup step that fails is our failure, with its last words", async () => {
    await using pristine = openFixture({}, { kind });
    const steps = [
      { run: "true", timeout_s: 10 },
      { run: "echo no such package >&2; exit 7", timeout_s: 10 },
    ];
    expect(await failure(pristine.setup(steps, never))).toBe(
      "setup_failed: task.setup[1] `echo no such package >&2; exit 7` failed (exit code 7): no such package",
    );
  });

  test("leaves nothing on disk, whatever an arm put there", async () => {
    const pristine = openFixture({ "a.txt": "a\n" }, { kind });
    const workspace = pristine.open();
    const hostile =
      "mkdir -p d/e f && touch d/e/x && chmod 000 d/e d; mkfifo p; ln -s / l; chmod 000 f; printf x > \"$(printf 'a\\377')\"";
    await workspace.exec(shell(hostile), never);
    const location = workspace.location ?? "";
    expect(existsSync(location)).toBe(true);
    await workspace[Symbol.asyncDispose]();
    await workspace[Symbol.asyncDispose]();
    await pristine[Symbol.asyncDispose]();
    expect(existsSync(dirname(location))).toBe(false);
  });

  test("is read in time whatever an arm put there", async () => {
    await using pristine = openFixture({ "a.txt": "a\n", "d/b.txt": "b\n" }, { kind });
    await using workspace = pristine.open();
    const deep = `n=$(printf 'x%.0s' $(seq 200)); for i in $(seq 40); do mkdir $n && cd $n || break; done; touch end`;
    const hostile = [
      "mkfifo pipe; truncate -s 200M sparse; printf x > \"$(printf 'a\\377')\"; touch .hidden; mkdir .dir && touch .dir/x",
      "mkdir shut && echo s > shut/s && chmod 000 shut; rm -r d; ln -s /etc d; mkfifo .gitignore",
      `(${deep}) 2>/dev/null`,
    ];
    await workspace.exec(shell(hostile.join("\n")), never);
    const { files } = await workspace.changes();
    const shallow = files.filter((file) => file.path.length < 100).map((file) => `${file.status} ${file.path}`);
    expect(shallow).toEqual([
      "added .dir/x",
      "added .gitignore",
      "added .hidden",
      "added a\ufffd",
      "added d",
      "deleted d/b.txt",
      "added pipe",
      "added shut/s",
      "added sparse",
    ]);
    expect(JSON.stringify(files)).not.toContain("root:");
    const { workspace: fork } = await workspace.fork({ restore: [], overlay: { dir: null, files: {} } });
    expect(await fork.readText("shut/s")).toBe("s\n");
    await fork[Symbol.asyncDispose]();
  });

  test("tells which protected files differ, also deleted and added ones, but none that never count as work", async () => {
    await using pristine = openFixture(
      { "t/a.test": "a\n", "t/b.test": "b\n", "node_modules/r/i.js": "r\n", "src/x": "x\n" },
      { kind },
    );
    await using workspace = pristine.open();
    expect(await workspace.altered(["t/**", "node_modules/**"])).toEqual([]);
    await workspace.exec(
      shell(
        "echo y > t/a.test; rm t/b.test; touch t/c.test; mkdir t/__pycache__ t/.pytest_cache; touch t/__pycache__/a.pyc t/.pytest_cache/x; echo e > node_modules/r/i.js; echo z > src/x",
      ),
      never,
    );
    expect(await workspace.altered(["t/**", "node_modules/**"])).toEqual(["t/a.test", "t/b.test", "t/c.test"]);
    expect(await workspace.altered(["src/x", "t/a.test"])).toEqual(["src/x", "t/a.test"]);
    expect(await workspace.altered([])).toEqual([]);
  });

  test("a protected directory replaced by a link counts as altered in each of its files", async () => {
    await using pristine = openFixture({ "t/a.test": "a\n" }, { kind });
    await using workspace = pristine.open();
    await workspace.exec(shell("mv t real; ln -s real t"), never);
    expect(await workspace.altered(["t/**"])).toContain("t/a.test");
  });

  test("a fork holds the work, protected files as they were, and the hidden files over everything", async () => {
    using probe = new Directory({ "hidden/check.sh": "echo checked\n" });
    chmodSync(join(probe.path, "hidden/check.sh"), 0o755);
    await using pristine = openFixture({ "src/a": "a\n", "t/1.test": "1\n", "t/2.test": "2\n" }, { kind });
    await using workspace = pristine.open();
    // Links and directories lie in wait where the probe's files have to go.
    const trap =
      "echo b > src/a; rm -r t; ln -s src t; touch src/1.test; ln -s /tmp hidden; mkdir -p inline.txt/x; mkdir -p node_modules/m; echo m > node_modules/m/i";
    await workspace.exec(shell(trap), never);
    const overlay = { dir: probe.path, files: { "inline.txt": "inline\n" } };
    const { workspace: fork, restored } = await workspace.fork({ restore: ["t/**"], overlay });
    await using copy = fork;
    const { output } = await copy.exec(
      shell("cat src/a t/1.test t/2.test node_modules/m/i inline.txt; ./hidden/check.sh; ls -d /tmp/check.sh"),
      never,
    );
    expect(output.split("\n").slice(0, 6)).toEqual([
      "b",
      "1",
      "2",
      "cat: node_modules/m/i: No such file or directory",
      "inline",
      "checked",
    ]);
    expect(restored).toEqual(["t", "t/1.test", "t/2.test"]);
    expect(existsSync("/tmp/check.sh")).toBe(false);
    expect(await mistake(workspace.readText("hidden/check.sh"))).toBe(
      "hidden/check.sh is outside the workspace. Give a path relative to the workspace, like src/main.ts.",
    );
  });

  test("a fork takes away what was added under a protected glob", async () => {
    await using pristine = openFixture({ "t/1.test": "1\n" }, { kind });
    await using workspace = pristine.open();
    await workspace.exec(shell("touch t/extra.test; mkfifo t/pipe.test; ln -s 1.test t/link.test"), never);
    const { workspace: fork, restored } = await workspace.fork({
      restore: ["t/*.test"],
      overlay: { dir: null, files: {} },
    });
    await using copy = fork;
    expect(await copy.list()).toEqual([{ path: "t/1.test", size: 2 }]);
    expect(restored).toEqual(["t/extra.test", "t/link.test", "t/pipe.test"]);
  });

  test("a fork of untouched files is the fixture with the hidden files, and costs the original nothing", async () => {
    await using pristine = openFixture({ "a.txt": "a\n" }, { kind });
    await using workspace = pristine.open();
    const { workspace: fork, restored } = await workspace.fork({
      restore: ["**"],
      overlay: { dir: null, files: { "b.txt": "b\n" } },
    });
    await using copy = fork;
    expect((await copy.list()).map((file) => file.path)).toEqual(["a.txt", "b.txt"]);
    expect([restored, workspace.location]).toEqual([[], null]);
  });

  test("directories have random names, so that no arm learns which one it is", async () => {
    await using pristine = openFixture({}, { kind });
    await using workspace = pristine.open();
    await workspace.writeText("a", "a");
    expect(workspace.location?.slice(realpathSync(tmpdir()).length)).toMatch(
      /^\/abeval-run-[\da-f-]+-[A-Za-z0-9]{6}\/[0-9a-f-]{36}$/,
    );
  });
});

test("kept workspaces stay, the pristine copy goes", async () => {
  const pristine = openFixture({ "a.txt": "a\n" }, { keep: true });
  const workspace = pristine.open();
  await workspace.writeText("b.txt", "b\n");
  await workspace[Symbol.asyncDispose]();
  await pristine[Symbol.asyncDispose]();
  const location = workspace.location ?? "";
  const home = dirname(location);
  expect({ files: readdirSync(location).toSorted(), beside: readdirSync(home).length }).toEqual({
    files: ["a.txt", "b.txt"],
    beside: 1,
  });
  Bun.spawnSync(["rm", "-rf", home]);
});

test("a fixture that is disposed of takes its workspaces with it", async () => {
  const pristine = openFixture({ "a.txt": "a\n" });
  const workspace = pristine.open();
  await workspace.writeText("b.txt", "b\n");
  await pristine[Symbol.asyncDispose]();
  expect({ made: workspace.location !== null, left: existsSync(workspace.location ?? "/") }).toEqual({
    made: true,
    left: false,
  });
});

describe("paths", () => {
  test("may be written in several ways, and none leaves", () => {
    expect(["a", "./a", "b/../a", "a/", "/workspace/a", "/workspace", "."].map((path) => workspacePath(path))).toEqual([
      "a",
      "a",
      "a",
      "a",
      "a",
      "",
      "",
    ]);
    for (const path of ["..", "../a", "a/../../b", "/etc/passwd", "/workspace/../etc", "/workspacex/a", "a\0b"])
      expect(() => workspacePath(path)).toThrow(Mistake);
  });

  test("of any shape lead into the workspace or nowhere, whatever links lie in it", () => {
    using directory = new Directory({ "root/a/b": "b", outside: "o", "root-beside/a": "a" });
    const root = join(directory.path, "root");
    symlinkSync("..", join(root, "up"));
    symlinkSync("../..", join(root, "a/out"));
    symlinkSync("a", join(root, "in"));
    symlinkSync("../root-beside", join(root, "beside"));
    symlinkSync("loop", join(root, "loop"));
    symlinkSync("/nowhere", join(root, "dangling"));
    const step = fc.constantFrom(
      "a",
      "b",
      "..",
      ".",
      "",
      "up",
      "out",
      "in",
      "loop",
      "dangling",
      "outside",
      "root",
      "beside",
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const place = located(root, steps.join("/"));
        expect(place === undefined || `${place}/`.startsWith(`${realpathSync(root)}/`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("that lead out are told apart from those that do not exist", async () => {
    using outside = new Directory({ secret: "secret" });
    using fixture = new Directory({ "d/a.txt": "a\n" });
    await using pristine = openFixture({}, { dir: fixture.path });
    await using workspace = pristine.open();
    await workspace.exec(
      shell(
        `ln -s ${outside.path}/secret link; ln -s ${outside.path} dir; ln -s missing gone; mkfifo pipe; printf '\\377' > bin`,
      ),
      never,
    );
    const advice = "Give a path relative to the workspace, like src/main.ts.";
    expect(await mistake(workspace.readText("link"))).toBe(`link is outside the workspace. ${advice}`);
    expect(await mistake(workspace.writeText("link", "x"))).toBe(`link is outside the workspace. ${advice}`);
    expect(await mistake(workspace.writeText("dir/new", "x"))).toBe(`dir/new is outside the workspace. ${advice}`);
    expect(await mistake(workspace.remove("dir/secret"))).toBe(`dir/secret is outside the workspace. ${advice}`);
    expect(await mistake(workspace.readText("/etc/passwd"))).toBe(`/etc/passwd is outside the workspace. ${advice}`);
    expect(await mistake(workspace.writeText("gone", "x"))).toBe("gone is a link that leads nowhere in the workspace.");
    expect(await mistake(workspace.readText("none.txt"))).toBe("none.txt does not exist.");
    expect(await mistake(workspace.readText("d"))).toBe("d is a directory.");
    expect(await mistake(workspace.writeText("d", "x"))).toBe("d is a directory.");
    expect(await mistake(workspace.writeText("d/a.txt/b", "x"))).toBe(
      "d/a.txt/b: a part of the path is a file, not a directory.",
    );
    expect(await mistake(workspace.readText("pipe"))).toBe("pipe is not a regular file.");
    expect(await mistake(workspace.writeText("pipe", "x"))).toBe("pipe is not a regular file.");
    expect(await mistake(workspace.readText("bin"))).toBe("bin is not a text file (1 bytes).");
    expect(await mistake(workspace.writeText("x".repeat(300), "x"))).toContain("ENAMETOOLONG");
    expect(readdirSync(outside.path)).toEqual(["secret"]);
    await workspace.remove("link");
    expect(readFileSync(join(outside.path, "secret"), "utf8")).toBe("secret");
  });
});

describe("a fixture", () => {
  test("with a link that leads out is refused by the link's name", async () => {
    for (const target of ["/etc/passwd", "../../outside", "sub/../../.."]) {
      using fixture = new Directory({ "sub/a": "a" });
      symlinkSync(target, join(fixture.path, "sub/link"));
      await using pristine = openFixture({}, { dir: fixture.path });
      expect(await failure(pristine.list())).toBe(
        `workspace_failed: sub/link: links out of the fixture (to ${target}); remove the link`,
      );
    }
  });

  test("cannot lead out by links that only together do", async () => {
    using fixture = new Directory({ "a/b/c": "c" });
    symlinkSync("../..", join(fixture.path, "a/b/top"));
    symlinkSync("a/b/top/../..", join(fixture.path, "out"));
    await using pristine = openFixture({}, { dir: fixture.path });
    expect(await failure(pristine.list())).toContain("workspace_failed: out: links out of the fixture");
  });

  test("cannot lead into a directory beside it whose name begins with its own", async () => {
    using directory = new Directory({ "fixture/a/b/c": "c", "fixture-beside/x": "x" });
    const dir = join(directory.path, "fixture");
    symlinkSync("../..", join(dir, "a/b/top"));
    symlinkSync("a/b/top/../fixture-beside", join(dir, "out"));
    await using pristine = openFixture({}, { dir });
    expect(await failure(pristine.list())).toContain("workspace_failed: out: links out of the fixture");
  });

  test("keeps its inner links and executable bits, and loses set-uid bits", async () => {
    using fixture = new Directory({ "bin/run": "#!/bin/sh\necho ran\n", "bin/read-only": "r\n" });
    chmodSync(join(fixture.path, "bin/run"), 0o6755);
    chmodSync(join(fixture.path, "bin/read-only"), 0o444);
    symlinkSync("bin/run", join(fixture.path, "link"));
    await using pristine = openFixture({}, { dir: fixture.path });
    await using workspace = pristine.open();
    const { output } = await workspace.exec(
      shell("./link; stat -c %a bin/run; echo w >> bin/read-only; cat bin/read-only"),
      never,
    );
    expect(output).toBe("ran\n755\nr\nw\n");
    expect(lstatSync(join(workspace.location ?? "", "link")).isSymbolicLink()).toBe(true);
  });

  test("with a pipe in it is refused", async () => {
    using fixture = new Directory();
    Bun.spawnSync(["mkfifo", join(fixture.path, "pipe")]);
    await using pristine = openFixture({}, { dir: fixture.path });
    expect(await failure(pristine.list())).toBe(
      "workspace_failed: pipe: is a pipe, socket or device; a fixture holds files, directories and links",
    );
  });

  test("that is absent, or whose inline files climb out, is refused", async () => {
    await using absent = openFixture({}, { dir: "/nowhere/fixture" });
    expect(await failure(absent.list())).toContain("workspace_failed: ");
    await using climbing = openFixture({ "../a": "a" });
    expect(await failure(climbing.list())).toBe("workspace_failed: ../a: not a path inside a workspace");
  });

  test("gives text or null, and lists ignored files too", async () => {
    await using pristine = openFixture({ ".gitignore": "b\n", a: "a\n", b: "b\n", bin: "\0" });
    expect([
      await pristine.text("a"),
      await pristine.text("bin"),
      await pristine.text("c"),
      await pristine.text("../x"),
    ]).toEqual(["a\n", null, null, null]);
    expect((await pristine.list()).map((file) => file.path)).toEqual([".gitignore", "a", "b", "bin"]);
  });
});

describe("a patch", () => {
  const files = { "a.txt": "one\ntwo\nthree\n", "crlf.txt": "one\r\ntwo\r\n" };

  test("from git is applied: new, changed, moved and deleted files", async () => {
    using repository = new Directory(files);
    const git = (...args: string[]) =>
      Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: repository.path });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "x");
    writeFileSync(join(repository.path, "a.txt"), "one\n2\nthree\n");
    writeFileSync(join(repository.path, "new file.txt"), "new");
    mkdirSync(join(repository.path, "d"));
    git("mv", "crlf.txt", "d/moved.txt");
    git("add", "-A");
    const patch = git("diff", "--cached", "-M").stdout.toString();
    await using pristine = openFixture(files);
    await using workspace = pristine.open();
    await workspace.applyPatch(patch);
    expect((await workspace.list()).map((file) => file.path)).toEqual(["a.txt", "d/moved.txt", "new file.txt"]);
    expect([
      await workspace.readText("a.txt"),
      await workspace.readText("new file.txt"),
      await workspace.readText("d/moved.txt"),
    ]).toEqual(["one\n2\nthree\n", "new", "one\r\ntwo\r\n"]);
  });

  test.each([
    [
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n@@ -3,1 +3,1 @@\n-four\n+4\n",
      "a.txt: hunk 2 of 2 (@@ -3,1 +3,1 @@) does not apply.",
    ],
    [
      "--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n",
      "crlf.txt: hunk 1 of 1 (@@ -1,1 +1,1 @@) does not apply.",
    ],
    ["--- a/none.txt\n+++ b/none.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n", "none.txt does not exist."],
    [
      "--- /dev/null\n+++ b/../x\n@@ -0,0 +1,1 @@\n+x\n",
      "../x is outside the workspace. Give a path relative to the workspace, like src/main.ts.",
    ],
    ["no patch at all", "The patch holds no change to a file."],
    ["--- a/a.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n", 'Not a unified diff: Missing "+++ ..." file header for a/a.txt'],
  ])("that does not fit changes nothing and says where", async (patch, message) => {
    await using pristine = openFixture(files);
    await using workspace = pristine.open();
    expect(await mistake(workspace.applyPatch(patch))).toBe(message);
    expect((await workspace.changes()).files).toEqual([]);
  });
});

describe("left-overs of killed processes", () => {
  test("are removed after a day, when their maker is gone", async () => {
    using root = new Directory();
    const [old, young, alive, other] = [
      "abeval-run-999999999-1-abcdef",
      "abeval-run-999999999-1-ghijkl",
      "",
      "something-else",
    ];
    for (const name of [old, young, other]) mkdirSync(join(root.path, name));
    mkdirSync(join(root.path, old, "shut"), { mode: 0o000 });
    const mine = makeTempDir(root.path);
    for (const path of [join(root.path, old), mine, join(root.path, other)]) utimesSync(path, 1_000, 1_000);
    expect(await sweepTempDirs(new Date(), [root.path])).toBe(1);
    expect(readdirSync(root.path).toSorted()).toEqual(
      [young, mine.slice(root.path.length + 1), other, alive].filter(Boolean).toSorted(),
    );
  });

  testNeeding(LINUX)("are removed sooner where their maker would be seen, on request", async () => {
    using root = new Directory();
    const mine = makeTempDir(root.path);
    const dead = join(root.path, basename(mine).replace(/^abeval-run-\d+-/, "abeval-run-999999999-"));
    const elsewhere = dead.replace(/-[0-9a-f]{8}-/, "-00000000-");
    for (const path of [dead, elsewhere]) mkdirSync(path);
    expect(await sweepTempDirs(new Date(), [root.path])).toBe(0);
    expect(await sweepTempDirs(new Date(Date.now() + 1_000), [root.path], 0)).toBe(1);
    expect([mine, dead, elsewhere].map(existsSync)).toEqual([true, false, true]);
  });

  testNeeding(ROOT_USER)("of another user are left alone, by root too", async () => {
    using root = new Directory({ "abeval-run-999999999-1-abcdef/a": "a" });
    chownSync(join(root.path, "abeval-run-999999999-1-abcdef"), 60_001, 60_001);
    expect(await sweepTempDirs(new Date("2100-01-01"), [root.path])).toBe(0);
  });

  test("through a link are left alone", async () => {
    using root = new Directory({ "target/a": "a" });
    symlinkSync("target", join(root.path, "abeval-run-999999999-1-abcdef"));
    expect(await sweepTempDirs(new Date("2100-01-01"), [root.path])).toBe(0);
    expect(existsSync(join(root.path, "target/a"))).toBe(true);
  });
});

testNeeding(SANDBOX)("a bubblewrap workspace sees nothing of its surroundings", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" }, { kind: "bubblewrap" });
  await using workspace = pristine.open();
  const { output } = await workspace.exec(shell("pwd; ls; ls ..; ls ../opt 2> /dev/null || true"), never);
  const system = ["bin", "dev", "etc", "home", "lib", "lib64", "proc", "sbin", "tmp", "usr", "workspace"];
  // Toolchains that lie outside /usr on this machine are shown below /opt.
  const { binds } = findToolchain(host, sandboxOwner());
  const tools = [...new Set(binds.map(({ to }) => to.split("/")[2] ?? ""))].toSorted();
  const top = tools.length > 0 ? [...system, "opt"].toSorted() : system;
  expect(output.split("\n")).toEqual(["/workspace", "a.txt", ...top, ...tools, ""]);
});

function located(root: string, path: string): string | undefined {
  try {
    return locate(root, path);
  } catch (error) {
    if (error instanceof Mistake) return undefined;
    throw error;
  }
}

test("the commands of one workspace share one account of its disk, those of another have their own", async () => {
  const accounts: unknown[] = [];
  const ended = { ended: "exit", exit_code: 0, output: "", bytes: 0, duration_ms: 0 } as const;
  const sandbox: Sandbox = {
    kind: "none",
    owner: null,
    start: () => Promise.reject(new Error("not asked for")),
    run: async ({ disk }) => {
      accounts.push(disk);
      return ended;
    },
  };
  await using pristine = openPristine({ source: { dir: null, files: { a: "a" } }, sandbox, keep: false });
  await using first = pristine.open();
  await using second = pristine.open();
  for (const workspace of [first, first, second]) await workspace.exec(shell("true"), never);
  expect(accounts[0]).toEqual({ bytes: 0, unmeasured_bytes: 0 });
  expect([accounts[0] === accounts[1], accounts[0] === accounts[2]]).toEqual([true, false]);
});
