import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeHome } from "../../src/arms/sandbox/home.ts";
import { AGENT_LIMITS } from "../../src/arms/sandbox/limits.ts";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import type { Sandbox, SandboxedProgram } from "../../src/arms/sandbox/sandbox.ts";
import { host, SANDBOX } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { Directory, never } from "../workspace/harness.ts";
import { outcome, workspaceOf } from "./programs.ts";

const owner = () => openSandbox("bubblewrap", host).owner;

describeNeeding(SANDBOX)("a home on disk", () => {
  test("is where HOME is, keeps what a program writes, and is gone with what is in it", async () => {
    const home = makeHome(owner());
    const end = await outcome("bubblewrap", 'cd && pwd && echo "kept" > .settings && mkdir -m 000 shut', {
      home: home.path,
    });
    expect(end).toMatchObject({ stdout: "/home/agent\n", exit_code: 0 });
    expect(readFileSync(join(home.path, ".settings"), "utf8")).toBe("kept\n");
    await home[Symbol.asyncDispose]();
    expect(existsSync(dirname(home.path))).toBe(false);
  });

  test("that is open to everybody inside stays shut outside", async () => {
    await using home = makeHome(owner());
    await outcome("bubblewrap", "chmod 777 ~", { home: home.path });
    const { stdout } = Bun.spawnSync(["stat", "-c", "%a", dirname(home.path)]);
    expect(stdout.toString()).toBe("700\n");
  });

  test("takes mounts below it, and no link in it leads them elsewhere", async () => {
    await using home = makeHome(owner());
    using read = new Directory({ settings: "mine" });
    Bun.spawnSync(["chmod", "-R", "a+rX", read.path]);
    const mounts = (to: string) => [{ from: join(read.path, "settings"), to }];
    const command = "cat ~/.agent/settings; rm -rf ~/.other; ln -s ../../oldroot/tmp ~/.other";
    const first = await outcome("bubblewrap", command, {
      home: home.path,
      mounts: mounts("/home/agent/.agent/settings"),
    });
    expect(first.stdout).toBe("mine");
    const second = outcome("bubblewrap", "true", { home: home.path, mounts: mounts("/home/agent/.other/settings") });
    expect(await failure(second)).toMatch(/invalid_request: the mount of .* would go through a link/);
  });
});

testNeeding(SANDBOX)("a link in a home leads a program to nothing of this machine", async () => {
  using secret = new Directory({ key: "secret" });
  Bun.spawnSync(["chmod", "-R", "a+rX", secret.path]);
  await using home = makeHome(owner());
  const command = `ln -s ${secret.path} ~/way; cat ~/way/key; cat ~/../../..${secret.path}/key; ls /proc/1/root${secret.path}`;
  const { stdout } = await outcome("bubblewrap", command, { home: home.path });
  expect(stdout).toBe("");
});

describe("a home is refused with words:", () => {
  const refused: readonly (readonly [kind: Sandbox["kind"], home: string, why: RegExp])[] = [
    ["none", "/usr/share", /needs bubblewrap/],
    ["bubblewrap", "usr", /absolute path/],
    ["bubblewrap", "/usr/nowhere", /is no directory/],
    ["bubblewrap", "/etc/hostname", /is no directory/],
    ["bubblewrap", "/", /apart from the workspace/],
    ["bubblewrap", "/tmp\0--bind", /NUL/],
  ];
  for (const [kind, home, why] of refused)
    testNeeding(SANDBOX)(`${kind} ${JSON.stringify(home)}`, async () => {
      expect(await failure(outcome(kind, "true", { home }))).toMatch(why);
    });
});

const failure = (promise: Promise<unknown>) => promise.then(String, (error) => `${error.code}: ${error.message}`);

const LIMITS = "ulimit -p 2>/dev/null || ulimit -u; ulimit -n; ulimit -d; ulimit -f";

testNeeding(SANDBOX)("a program has the limits that it is given, and those of a command otherwise", async () => {
  const [given, usual] = await Promise.all([
    outcome("bubblewrap", ["/bin/bash", "-c", LIMITS], { limits: AGENT_LIMITS }),
    outcome("bubblewrap", ["/bin/bash", "-c", LIMITS]),
  ]);
  expect(usual.stdout).not.toBe(given.stdout);
  // Of heap and files in KiB.
  const expected = [AGENT_LIMITS.open_files, AGENT_LIMITS.heap_bytes / 1024, AGENT_LIMITS.file_bytes / 1024];
  expect(given.stdout.trim().split("\n").slice(-3).map(Number)).toEqual(expected);
});

testNeeding(SANDBOX)("a tree may hold what its limits say and no more", async () => {
  const hold = "perl -e '$x = \"x\" x 90_000_000; sleep 1; print length $x'";
  const limits = (tree_bytes: number) => ({ limits: { ...AGENT_LIMITS, tree_bytes } });
  const [small, large] = await Promise.all([
    outcome("bubblewrap", `${hold}; sleep 5`, limits(60_000_000)),
    outcome("bubblewrap", hold, limits(1_000_000_000)),
  ]);
  expect(small.ended).toBe("memory_limit");
  expect(large).toMatchObject({ ended: "exit", stdout: "90000000" });
});

/** A workspace with these files, whose sandbox's user may change all of it. */
function filled(files: Readonly<Record<string, string>>): Directory {
  const sandbox = openSandbox("bubblewrap", host);
  const work = workspaceOf(sandbox);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work.path, path)), { recursive: true });
    writeFileSync(join(work.path, path), text);
  }
  if (sandbox.owner) Bun.spawnSync(["chown", "-R", `${sandbox.owner.uid}:${sandbox.owner.gid}`, work.path]);
  return work;
}

describeNeeding(SANDBOX)("a read-only path", () => {
  const options = (work: Directory, ...read_only: string[]): Partial<SandboxedProgram> => ({
    directory: work.path,
    read_only,
  });

  test("cannot be changed, renamed, replaced or removed, and all else can", async () => {
    using work = filled({ "tests/a.txt": "a", "lock.json": "{}", "src/b.txt": "b" });
    const tries = [
      ...["echo x >> tests/a.txt", "echo x > tests/new", "rm tests/a.txt", "mv tests other", "rm -r tests"],
      ...["echo x > lock.json", "rm lock.json", "mv lock.json x", "ln -f src/b.txt lock.json", "chmod 777 lock.json"],
      ...["umount tests", "mount -o remount,rw tests"],
    ];
    const command = `${tries.map((it) => `(${it}) 2>&1 && echo 'DONE ${it}'`).join("; ")}; echo x > src/b.txt; mv src lib`;
    const { stdout } = await outcome("bubblewrap", command, options(work, "tests", "lock.json"));
    expect(stdout).not.toContain("DONE");
    expect(stdout).toContain("Read-only file system");
    const read = (path: string) => readFileSync(join(work.path, path), "utf8");
    expect([read("tests/a.txt"), read("lock.json"), read("lib/b.txt")]).toEqual(["a", "{}", "x\n"]);
  });

  test("is refused where a link leads to it, or nothing does", async () => {
    using work = filled({ "tests/a.txt": "a" });
    symlinkSync("tests", join(work.path, "link"));
    symlinkSync("/etc", join(work.path, "etc"));
    for (const path of ["link", "link/a.txt", "etc/passwd", "none", "../x", "/etc", "tests/", "", "tests/../tests"])
      expect(await failure(outcome("bubblewrap", "true", options(work, path)))).toMatch(
        /^invalid_request: the read-only/,
      );
  });

  test("needs bubblewrap", async () => {
    using work = filled({ a: "a" });
    const program = { command: "true", directory: work.path, network: "none", read_only: ["a"] } as const;
    expect(await failure(openSandbox("none", host).start(program, never))).toMatch(/needs bubblewrap/);
  });
});
