import { expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { makeSocketDirectory, SOCKET_INSIDE, type SocketDirectory } from "../../src/arms/agent/socket-directory.ts";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { host, SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { outcome } from "../sandbox/programs.ts";
import { Directory } from "../workspace/harness.ts";

const owner = () => (SANDBOX.met ? openSandbox("bubblewrap", host).owner : null);

/** Somebody who says these words at a socket of its own. */
async function saying(words: string): Promise<SocketDirectory> {
  const directory = makeSocketDirectory(owner());
  const server = createServer((socket) => socket.on("error", () => undefined).end(words));
  await new Promise<void>((listening) => server.listen(directory.socket, listening));
  directory.open();
  const dispose = () => {
    server.close();
    directory[Symbol.dispose]();
  };
  return { ...directory, [Symbol.dispose]: dispose };
}

const hear = (path: string) =>
  `bun -e 'require("node:net").connect("${path}").on("data", (it) => console.log(String(it))).on("error", (it) => console.log(it.code))'`;

describeNeeding(SANDBOX)("the socket of an arm", () => {
  test("can be reached from its sandbox, and no other one can", async () => {
    using own = await saying("own");
    using other = await saying("other");
    const paths = [SOCKET_INSIDE, own.socket, other.socket, `/run/abeval/../../${other.socket}`];
    const links = `ln -s ${dirname(other.socket)} other; ln -s /proc/1/root${dirname(other.socket)} root`;
    const tries = [...paths, "/workspace/other/provider.sock", "/workspace/root/provider.sock"].map(hear).join("; ");
    const { stdout } = await outcome("bubblewrap", `${links}; ${tries}`, { mounts: [own.mount] });
    expect(stdout.split("\n")).toEqual(["own", ...Array.from({ length: 5 }, () => "ENOENT"), ""]);
    const found = await outcome("bubblewrap", "find / -type s 2>/dev/null", { mounts: [own.mount] });
    expect(found.stdout).toBe(`${SOCKET_INSIDE}\n`);
  });

  test("can be neither replaced nor opened further from inside", async () => {
    using own = await saying("own");
    const socket = SOCKET_INSIDE;
    const tries = [`rm ${socket}`, `mv ${socket} /tmp`, `ln -sf /workspace/x ${socket}`, `chmod 777 ${socket}`];
    const command = [...tries, "chmod 777 /run/abeval", "touch /run/abeval/more"].map(
      (it) => `(${it}) 2>/dev/null && echo done`,
    );
    expect((await outcome("bubblewrap", command.join("; "), { mounts: [own.mount] })).stdout).toBe("");
    const modes = [own.socket, dirname(own.socket)].map((path) => lstatSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
  });
});

test("a path that is too long for a socket is passed over, and told when there is no other", () => {
  using long = new Directory();
  const deep = join(long.path, "x".repeat(80));
  mkdirSync(deep);
  expect(() => makeSocketDirectory(null, [deep])).toThrow(/may have at most 107 bytes; set TMPDIR to a shorter one/);
  using directory = makeSocketDirectory(null, [join(deep, "none"), deep, "/tmp"]);
  expect(directory.socket).toMatch(/^\/tmp\/abeval-run-/);
});

test("a socket goes with its directory", async () => {
  const directory = await saying("own");
  expect(existsSync(directory.socket)).toBe(true);
  directory[Symbol.dispose]();
  expect(existsSync(dirname(directory.socket))).toBe(false);
});
