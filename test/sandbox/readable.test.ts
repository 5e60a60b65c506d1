import { expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { guardedHome, whyNotReadable } from "../../src/arms/sandbox/readable.ts";
import { findToolchain } from "../../src/arms/sandbox/toolchain.ts";
import { host, ROOT_USER, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { Directory, never } from "../workspace/harness.ts";

/** Stands outside /tmp, which is refused as a whole. */
class Tools extends Directory {
  constructor(files: Readonly<Record<string, string>>) {
    super(files, "/var");
    chmodSync(this.path, 0o755);
  }
}

test.each([
  ["/nowhere/at/all", "there is no such directory"],
  ["/etc/passwd", "it is not a directory"],
  ["/", "it holds everybody's temporary files (/tmp)"],
  ["/var", "it holds everybody's temporary files (/var/tmp)"],
  ["/home", "it holds the homes of people (/home)"],
  ["/etc/ssl", "it is in /etc: the system's secrets"],
  ["/proc/self", "it is in /proc: the processes of this machine"],
  ["/dev/shm", "it is in /dev: devices"],
  [tmpdir(), /temporary files/],
  ["/usr/share", "commands see all of /usr already"],
])("%s is not shown to commands: %p", (path, reason) => {
  const why = whyNotReadable(path, [], null);
  if (typeof reason === "string") expect(why).toBe(reason);
  else expect(why).toMatch(reason);
});

testNeeding(ROOT_USER)(
  "a home is not shown to commands, nor are its keys and what lies around or in a private directory",
  () => {
    using tools = new Tools({ ".ssh/id": "", ".pyenv/bin/python": "", "scenarios/hidden/x": "" });
    const guarded = [...guardedHome(tools.path), { path: join(tools.path, "scenarios"), what: "scenarios" }];
    const why = (name: string) => whyNotReadable(join(tools.path, name), guarded, null);
    symlinkSync("scenarios", join(tools.path, "alias"));
    expect([why("."), why(".ssh"), why("scenarios/hidden"), why("alias"), why(".pyenv")]).toEqual([
      `it holds your home, with its keys (${tools.path})`,
      `it holds keys and tokens (${join(tools.path, ".ssh")})`,
      `it is in ${join(tools.path, "scenarios")}: scenarios`,
      `it holds scenarios (${join(tools.path, "scenarios")})`,
      undefined,
    ]);
  },
);

testNeeding(ROOT_USER)("a directory in which a program listens is not shown to commands", () => {
  using tools = new Tools({ "bin/x": "" });
  expect(whyNotReadable(tools.path, [], null)).toBe(undefined);
  const server = Bun.listen({ unix: join(tools.path, "s.sock"), socket: { data: () => undefined } });
  expect(whyNotReadable(tools.path, [], null)).toContain("a program listens on a socket in it");
  server.stop(true);
});

testNeeding(ROOT_USER)("a directory that the sandbox's user cannot enter is refused with what to do", () => {
  using tools = new Tools({ "bin/x": "" });
  chmodSync(tools.path, 0o700);
  expect(whyNotReadable(join(tools.path, "bin"), [], { uid: 60_817, gid: 60_817 })).toContain("chmod o+x");
});

testNeeding(SANDBOX, ROOT_USER)(
  "commands read a directory that is shown at its own path, run its programs, and cannot write it",
  async () => {
    using tools = new Tools({ "bin/greet": "#!/bin/sh\necho hello from the toolchain\n", "lib/x": "text\n" });
    chmodSync(join(tools.path, "bin/greet"), 0o755);
    const sandbox = openSandbox("bubblewrap", { ...host, read: [realpathSync(tools.path)] });
    using directory = new Directory();
    if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
    mkdirSync(join(directory.path, "w"));
    const run = `greet; cat ${tools.path}/lib/x; touch ${tools.path}/new 2>/dev/null || echo read-only; ls -d ${tools.path}/../log`;
    const limits = { timeout_ms: 20_000, max_output_bytes: 5_000, network: "none" } as const;
    const { output } = await sandbox.run({ run: `(${run}) 2>&1`, directory: directory.path, ...limits }, never);
    expect(output).toStartWith("hello from the toolchain\ntext\nread-only\nls: cannot access");
  },
);

testNeeding(ROOT_USER)(
  "a directory that is shown is on the commands' PATH when programs lie in it, and so is its bin",
  () => {
    using tools = new Tools({ "bin/greet": "", "lib/x": "text\n", "sbin/halt": "" });
    for (const name of ["bin/greet", "sbin/halt"]) chmodSync(join(tools.path, name), 0o755);
    const pathOf = (name: string) => {
      const directory = join(tools.path, name);
      const { path } = findToolchain({ ...host, read: [directory] }, null);
      return path.filter((step) => step.startsWith(tools.path)).map((step) => relative(tools.path, step));
    };
    expect([".", "bin", "sbin", "lib"].map(pathOf)).toEqual([["bin"], ["bin"], ["sbin"], []]);
  },
);
