import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { launcherCommand } from "../../src/arms/agent/launcher-command.ts";
import { makeSocketDirectory, SOCKET_INSIDE, type SocketDirectory } from "../../src/arms/agent/socket-directory.ts";
import type { SandboxHost } from "../../src/arms/sandbox/host.ts";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import type { SandboxedProgram } from "../../src/arms/sandbox/sandbox.ts";
import { host, SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { endOf, lines, textOf, workspaceOf } from "../sandbox/programs.ts";
import { never } from "../workspace/harness.ts";

const PORT = 4010;

/** What the launcher leads to: `each` gets every connection. */
async function outside(each: (socket: Socket) => void): Promise<SocketDirectory> {
  const directory = makeSocketDirectory(openSandbox("bubblewrap", host).owner);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    each(socket);
  });
  await new Promise<void>((listening) => server.listen(directory.socket, listening));
  directory.open();
  const dispose = () => {
    server.close();
    directory[Symbol.dispose]();
  };
  return { ...directory, [Symbol.dispose]: dispose };
}

/** A program that is started behind a launcher. */
async function started(
  { mount }: Pick<SocketDirectory, "mount">,
  argv: readonly string[],
  { on = host, ...options }: Partial<SandboxedProgram> & { readonly on?: SandboxHost } = {},
) {
  const sandbox = openSandbox("bubblewrap", on);
  const work = workspaceOf(sandbox);
  const { mounts, command } = launcherCommand(on);
  const program = { directory: work.path, network: "none", mounts: [...mounts, mount], ...options } as const;
  const process = await sandbox.start(
    { ...program, command: command({ port: PORT, socket: SOCKET_INSIDE, at: "/workspace", argv }) },
    never,
  );
  const dispose = async () => {
    await process[Symbol.asyncDispose]();
    work[Symbol.dispose]();
  };
  return { process, [Symbol.asyncDispose]: dispose };
}

async function outcome(...given: Parameters<typeof started>) {
  await using running = await started(...given);
  const { process } = running;
  const [stdout, stderr, end] = await Promise.all([textOf(process.stdout), textOf(process.stderr), endOf(process)]);
  return { stdout, stderr, ...end };
}

const sh = (line: string) => ["sh", "-c", line];

/** Everything that comes, with the way back left open. */
async function readAll(socket: Socket): Promise<string> {
  const all: Uint8Array[] = [];
  socket.on("data", (chunk) => void all.push(Buffer.from(chunk)));
  await once(socket, "end");
  return Buffer.concat(all).toString();
}

const echo = (socket: Socket) => void socket.pipe(socket);

/** A script with `connected()`, which gives a connection to the launcher. */
const script = (text: string) => [
  "bun",
  "-e",
  `const { connect } = require("node:net"); const { once } = require("node:events");
   const connected = async () => { const it = connect({ port: ${PORT}, host: "127.0.0.1", allowHalfOpen: true }); await once(it, "connect"); return it; };
   const textOf = async (it) => { const all = []; it.on("data", (chunk) => all.push(chunk)); await once(it, "end"); return Buffer.concat(all); };
   ${text}`,
];

describeNeeding(SANDBOX)("the launcher", () => {
  let way: SocketDirectory;
  beforeAll(async () => {
    way = await outside(echo);
  });
  afterAll(() => way[Symbol.dispose]());

  test("runs a program with nothing to read and without the variable that makes a bun of programs", async () => {
    const line = "cat; pwd; env | grep -c BUN_BE_BUN; echo complaint >&2; exit 7";
    // A machine without bun: it is made of the running program.
    const bare = { ...host, path: "/usr/bin:/bin", executable: process.execPath };
    for (const on of [host, bare])
      expect(await outcome(way, sh(line), { on })).toEqual({
        ...{ stdout: "/workspace\n0\n", stderr: "complaint\n", ended: "exit", exit_code: 7 },
      });
  });

  test("is not led by files of the workspace", async () => {
    const lay = `echo FOO=leak > .env; echo 'preload = ["./p.ts"]' > bunfig.toml; echo 'console.log("preloaded")' > p.ts;
      echo '{"compilerOptions":{"baseUrl":".","paths":{"*":["./p.ts"]}}}' > tsconfig.json; echo '{"main":5,,' > package.json`;
    const sandbox = openSandbox("bubblewrap", host);
    using work = workspaceOf(sandbox);
    const where = { directory: work.path, network: "none" } as const;
    await sandbox.run({ run: lay, ...where, timeout_ms: 20_000, max_output_bytes: 1_000 }, never);
    const end = await outcome(way, sh("echo begun $FOO"), { directory: work.path });
    expect(end).toMatchObject({ stdout: "begun\n", stderr: "", exit_code: 0 });
  });

  test("ends as its program does: by a signal, when it cannot be run, when it is not there", async () => {
    const codes = await Promise.all(
      [sh("kill -9 $$"), sh("kill -TERM $$"), ["/etc"], ["no-such-agent"]].map(
        async (argv) => await outcome(way, argv),
      ),
    );
    expect(codes.map(({ exit_code }) => exit_code)).toEqual([137, 143, 126, 127]);
    expect(codes.at(-1)?.stderr).toBe("abeval launcher: no-such-agent cannot be started (ENOENT)\n");
  });

  test("hands a signal on to its program, and ends with it", async () => {
    const line = "trap 'echo heard; exit 5' TERM; echo ready; while :; do sleep 0.01; done";
    await using running = await started(way, sh(line));
    const next = lines(running.process.stdout);
    expect(await next()).toBe("ready");
    running.process.signal("SIGTERM");
    expect([await next(), await next()]).toEqual(["heard", undefined]);
    expect(await endOf(running.process)).toEqual({ ended: "exit", exit_code: 5 });
  });

  test("carries a hundred connections at a time, each with what is its own", async () => {
    const { stdout, exit_code } = await outcome(
      way,
      script(`const one = async (_, at) => {
        const it = await connected(); const sent = Buffer.alloc(100_000 + at, at);
        it.end(sent); return sent.equals(await textOf(it)); };
      console.log((await Promise.all(Array.from({ length: 100 }, one))).filter(Boolean).length);`),
    );
    expect({ stdout, exit_code }).toEqual({ stdout: "100\n", exit_code: 0 });
  });

  test("carries 64 MB both ways unchanged", async () => {
    const made = `Buffer.alloc(64_000_000, Array.from({ length: 10_007 }, (_, at) => at).join(" "))`;
    const { stdout } = await outcome(
      way,
      script(`const it = await connected(); it.end(${made});
      const { createHash } = require("node:crypto"); const hash = createHash("sha256"); for await (const chunk of it) hash.update(chunk);
      console.log(hash.digest("hex"));`),
    );
    const bytes = Buffer.alloc(64_000_000, Array.from({ length: 10_007 }, (_, at) => at).join(" "));
    expect(stdout.trim()).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  test("holds back who writes faster than the other side reads", async () => {
    using slow = await outside((socket) => {
      // The first byte says which kind of connection it is.
      socket.once("data", (first) => {
        if (String(first).startsWith("p")) return void socket.end("pong");
        socket.pause();
      });
    });
    const { stdout } = await outcome(
      slow,
      script(`const { readFileSync } = require("node:fs");
      const held = () => Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync("/proc/" + process.ppid + "/status", "utf8"))[1]);
      const ping = async () => { const it = await connected(); it.write("p"); await textOf(it); it.end(); };
      await ping(); const before = held();
      const it = await connected(); it.write(Buffer.alloc(128_000_000, "x"));
      for (let round = 0; round < 200; round += 1) await ping();
      console.log(held() - before < 50_000 ? "held back" : "took " + (held() - before)); process.exit()`),
    );
    expect(stdout).toBe("held back\n");
  });

  test("leaves one way open when the other has ended", async () => {
    using late = await outside((socket) => void readAll(socket).then((text) => socket.end(`all of ${text.length}`)));
    const early = `const it = await connected(); it.end("x".repeat(500_000)); console.log(String(await textOf(it)))`;
    expect((await outcome(late, script(early))).stdout).toBe("all of 500000\n");
    const heard = Promise.withResolvers<string>();
    using first = await outside((socket) => {
      socket.end("so much");
      void readAll(socket).then(heard.resolve);
    });
    const answered = `const it = await connected(); console.log(String(await textOf(it))); it.end("thanks")`;
    expect((await outcome(first, script(answered))).stdout).toBe("so much\n");
    expect(await heard.promise).toBe("thanks");
  });

  test("ends a connection on one side that has broken on the other, and no other one", async () => {
    const closed = Promise.withResolvers<void>();
    using breaking = await outside((socket) => {
      socket.once("data", (first) => {
        const word = String(first);
        if (word === "break") socket.destroy();
        else if (word === "leave") socket.once("end", closed.resolve).write("x");
        else socket.end("whole");
      });
    });
    const { stdout } = await outcome(
      breaking,
      script(`const broken = await connected(); broken.on("error", () => {}); broken.write("break"); await textOf(broken).catch(() => {});
      const left = await connected(); left.write("leave"); await once(left, "data"); left.resetAndDestroy();
      const it = await connected(); it.write("whole"); console.log(String(await textOf(it)))`),
    );
    expect(stdout).toBe("whole\n");
    await closed.promise;
  });

  test("kills a program whose way out is gone, with what it started", async () => {
    using gone = makeSocketDirectory(openSandbox("bubblewrap", host).owner);
    const argv =
      script(`process.on("SIGTERM", () => {}); require("node:child_process").spawn("sleep", ["1000"], { stdio: "inherit" });
      (await connected()).on("error", () => {}); setInterval(() => {}, 1_000)`);
    expect(await outcome(gone, argv)).toEqual({
      stdout: "",
      stderr: "abeval launcher: the way out is gone (ENOENT); its program was killed\n",
      ended: "exit",
      exit_code: 69,
    });
  });

  test("says how it is used", () => {
    for (const args of [["x", "s", "--", "true"], ["1", "", "--", "true"], ["1", "s", "--"], ["1", "s", "true"], []]) {
      const main = join(import.meta.dir, "../../src/main.ts");
      const { exitCode, stderr } = Bun.spawnSync([process.execPath, main, "__launch", ...args]);
      expect([exitCode, stderr.toString()]).toEqual([64, expect.stringContaining("usage: __launch <port> <socket>")]);
    }
  });
});
