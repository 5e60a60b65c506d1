import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openBubblewrap, openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { host, SANDBOX } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { until } from "../turns.ts";
import { Directory, describeEachKind, never, processesWith, shell } from "../workspace/harness.ts";
import { endOf, lines, outcome, started, textOf, workspaceOf } from "./programs.ts";

const ECHO = 'while read -r line; do echo "heard $line"; echo "log $line" >&2; done; echo over; exit 3';

/** As the kernel shows them: T is stopped, S sleeps. Of the program alone, not of bubblewrap around it. */
const statesOf = (mark: string) =>
  processesWith(mark)
    .map((path) => readFileSync(path.replace("cmdline", "stat"), "utf8"))
    .filter((stat) => !stat.includes("(bwrap)"))
    .map((stat) => /\) (\w)/.exec(stat)?.[1]);

describeEachKind("a program that runs", (kind) => {
  test("reads what is written to it, answers while it runs, and ends when its input is closed", async () => {
    await using running = await started(kind, ECHO);
    const { stdin, stdout, stderr } = running.process;
    const next = lines(stdout);
    for (const word of ["one", "two"]) {
      stdin.write(`${word}\n`);
      expect(await next()).toBe(`heard ${word}`);
    }
    stdin.end();
    expect([await next(), await next(), await textOf(stderr)]).toEqual(["over", undefined, "log one\nlog two\n"]);
    expect(await endOf(running.process)).toEqual({ ended: "exit", exit_code: 3 });
  });

  test("is a program and its arguments, which no shell reads", async () => {
    const words = ["$HOME", "two words", "'\"", "", "*"];
    const { stdout } = await outcome(kind, ["/usr/bin/printf", "%s\n", ...words]);
    expect(stdout).toBe(words.map((word) => `${word}\n`).join(""));
  });

  test("that does not exist ends as it would in a shell", async () => {
    expect(await outcome(kind, ["/usr/bin/no-such-program"])).toMatchObject({
      ended: "exit",
      exit_code: 127,
      stdout: "",
    });
  });

  test("has the variables that it was given and those of every command, and no other", async () => {
    process.env["ABEVAL_CANARY"] = "canary-in-the-environment";
    const environment = { TOKEN: "a b\n'c'", LANG: "C", HOME: "/elsewhere", TMPDIR: "/elsewhere" };
    const { stdout } = await outcome(kind, "env -0", { environment });
    delete process.env["ABEVAL_CANARY"];
    const given = new Map(stdout.split("\0").map((it) => [it.split("=")[0], it.slice(it.indexOf("=") + 1)] as const));
    expect([given.get("TOKEN"), given.get("LANG")]).toEqual([environment.TOKEN, "C"]);
    expect([given.get("HOME"), given.get("TMPDIR")]).not.toContain("/elsewhere");
    const names = [...given.keys()].filter((name) => name !== "" && name !== "USER");
    expect(names.toSorted()).toEqual(["CI", "HOME", "LANG", "PATH", "PWD", "TERM", "TMPDIR", "TOKEN"]);
  });

  test.each([
    [{ "A=B": "x" }, "the variable A=B has a name"],
    [{ "--bind": "x" }, "the variable --bind has a name"],
    [{ A: "x\0--bind\0/\0/host" }, "the variable A contains a NUL"],
    [{ A: "x".repeat(200_000) }, "the variable A has 200000 bytes"],
  ])("is refused a variable that no program can be given: %#", async (environment, why) => {
    await expect(started(kind, "true", { environment })).rejects.toThrow(why);
  });

  test("may call a variable what the sandbox's own shell calls one", async () => {
    const { stdout } = await outcome(kind, 'echo "$go"', { environment: { go: "on" } });
    expect(stdout).toBe("on\n");
  });

  test("is refused more arguments and variables than the kernel takes", async () => {
    const many = Array.from({ length: 60 }, (_, n) => [`V${n}`, "x".repeat(100_000)]);
    const refused = { code: "invalid_request", message: expect.stringContaining("at most 1048576 can be given") };
    await expect(started(kind, "true", { environment: Object.fromEntries(many) })).rejects.toMatchObject(refused);
    await expect(started(kind, ["true", ...many.flat()])).rejects.toMatchObject(refused);
  });

  test("is stopped when it has printed more than it may, and its reader gets no more", async () => {
    await using running = await started(kind, "yes abcdefghijklmnopqrstuvwxyz", { max_printed_bytes: 1_000_000 });
    let bytes = 0;
    for await (const chunk of running.process.stdout) bytes += chunk.length;
    expect(bytes).toBeLessThanOrEqual(1_000_000);
    expect(await endOf(running.process)).toEqual({ ended: "output_limit", exit_code: null });
  });

  test("waits while nobody reads what it prints, and what it printed can be read after its end", async () => {
    const print = "head -c 1000000 /dev/zero >&2; echo done";
    await using running = await started(kind, `${print}; head -c 3000 /dev/zero`);
    const next = lines(running.process.stdout);
    const stderr = running.process.stderr[Symbol.asyncIterator]();
    const line = next();
    // It cannot come to its second step as long as the first one's output is not read.
    expect(await Promise.race([line, stderr.next().then(() => "first")])).toBe("first");
    let bytes = 0;
    for (let it = await stderr.next(); !it.done; it = await stderr.next()) bytes += it.value.length;
    expect(await line).toBe("done");
    expect(bytes).toBeGreaterThan(0);
    expect(await endOf(running.process)).toEqual({ ended: "exit", exit_code: 0 });
    expect((await next()) ?? "").toBe("");
  });

  test.each([
    ["a signal of its own", "kill -9 $$", {}, { ended: "exit", exit_code: 137 }],
    ["its time limit", "exec sleep 60", { timeout_ms: 200 }, { ended: "timeout", exit_code: null }],
  ] as const)("tells that it ended by %s", async (_how, command, options, end) => {
    await using running = await started(kind, command, options);
    expect(await endOf(running.process)).toEqual(end);
  });

  test("may wait when it reads and prints: nobody makes its streams non-blocking behind its back", async () => {
    const flags = "cat /proc/$$/fdinfo/0 /proc/$$/fdinfo/1 /proc/$$/fdinfo/2";
    await using running = await started(kind, `echo ready; echo ready >&2; read -r _; ${flags} | grep ^flags`);
    const { stdin, stdout, stderr } = running.process;
    const [next, complaint] = [lines(stdout), lines(stderr)];
    expect([await next(), await complaint()]).toEqual(["ready", "ready"]);
    stdin.write("go on\n");
    const shown = [await next(), await next(), await next()];
    const NON_BLOCKING = 0o4000;
    expect(shown.map((line = "") => Number.parseInt(line.split("\t")[1] ?? "", 8) & NON_BLOCKING)).toEqual([0, 0, 0]);
  });

  test("gets the signals that it is sent, until it has ended", async () => {
    await using running = await started(
      kind,
      "trap 'echo got it; exit 5' TERM; echo ready; while :; do sleep 0.01; done",
    );
    const next = lines(running.process.stdout);
    expect(await next()).toBe("ready");
    running.process.signal("SIGTERM");
    expect(await next()).toBe("got it");
    expect(await endOf(running.process)).toEqual({ ended: "exit", exit_code: 5 });
    running.process.signal("SIGKILL");
  });

  test("can be stopped with everything in its group, goes on, and is ended while it is stopped", async () => {
    const mark = `1732.05${kind.length}`;
    {
      await using running = await started(kind, `sleep ${mark} & sleep ${mark} & echo ready; wait`);
      expect(await lines(running.process.stdout)()).toBe("ready");
      for (const [name, state] of [
        ["SIGSTOP", "T"],
        ["SIGCONT", "S"],
        ["SIGSTOP", "T"],
      ] as const) {
        running.process.signal(name);
        await until(() => statesOf(mark).length > 1 && statesOf(mark).every((it) => it === state));
      }
    }
    expect(processesWith(mark)).toEqual([]);
  });

  test("is killed with everything that it started", async () => {
    const mark = `5772.15${kind.length}`;
    await using running = await started(kind, `sleep ${mark} & setsid sleep ${mark} & echo ready; wait`);
    expect(await lines(running.process.stdout)()).toBe("ready");
    running.process.kill();
    expect(await endOf(running.process)).toEqual({ ended: "killed", exit_code: null });
    expect(processesWith(mark)).toEqual([]);
    running.process.stdin.write("to nobody\n");
  });

  test("leaves nothing when it is disposed of, also when it goes on forking", async () => {
    const mark = `8346.26${kind.length}`;
    const bomb = `perl -e 'for (1 .. 60) { if (!fork) { exec "sleep", "${mark}" } } $| = 1; print "ready\\n"; sleep 60'`;
    {
      await using running = await started(kind, bomb);
      expect(await lines(running.process.stdout)()).toBe("ready");
      expect(processesWith(mark).length).toBeGreaterThan(30);
    }
    expect(processesWith(mark)).toEqual([]);
  });

  test("is killed when its caller cancels", async () => {
    const mark = `1202.05${kind.length}`;
    const caller = new AbortController();
    await using running = await started(kind, `echo ready; exec sleep ${mark}`, { signal: caller.signal });
    expect(await lines(running.process.stdout)()).toBe("ready");
    caller.abort(new Error("stopped by the user"));
    expect(await endOf(running.process)).toEqual({ ended: "killed", exit_code: null });
    expect(processesWith(mark)).toEqual([]);
  });

  test("cancelled at any moment of its start is not handed out and leaves nothing", async () => {
    const mark = `6931.47${kind.length}`;
    const cancelledAfter = async (delay_ms: number) => {
      const signal = AbortSignal.timeout(delay_ms);
      await using running = await started(kind, `exec sleep ${mark}`, { signal }).catch((error) => {
        expect(error).toBe(signal.reason);
        return undefined;
      });
      if (running) expect(await endOf(running.process)).toEqual({ ended: "killed", exit_code: null });
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => cancelledAfter(index)));
    expect(processesWith(mark)).toEqual([]);
  });

  test("goes on while commands run and end in its workspace, and sees what they did", async () => {
    await using running = await started(kind, "while read -r path; do cat $path; done");
    const next = lines(running.process.stdout);
    for (const word of ["one", "two"]) {
      const command = { ...shell(`echo ${word} > ${word}.txt`), directory: running.directory };
      expect(await running.sandbox.run(command, never)).toMatchObject({ ended: "exit", exit_code: 0 });
      running.process.stdin.write(`${word}.txt\n`);
      expect(await next()).toBe(word);
    }
  });
});

testNeeding(SANDBOX)(
  "a mount shows a directory or a file at its path inside, and nobody can change it there",
  async () => {
    using install = new Directory({ "bin/agent": "#!/bin/sh\necho installed\n", settings: "mine\n" });
    Bun.spawnSync(["chmod", "-R", "a+rwX,a+x", install.path]);
    const mounts = [
      { from: install.path, to: "/opt/agent" },
      { from: join(install.path, "settings"), to: "/home/agent/.agent/settings" },
    ];
    const tried = ["echo x > /opt/agent/new", "rm /opt/agent/settings", "echo x > /home/agent/.agent/settings"];
    const command = `/opt/agent/bin/agent; cat ~/.agent/settings; ${tried.map((it) => `(${it}) 2>/dev/null || echo refused`).join("; ")}`;
    const { stdout } = await outcome("bubblewrap", command, { mounts });
    expect(stdout).toBe("installed\nmine\nrefused\nrefused\nrefused\n");
    expect(existsSync(join(install.path, "new"))).toBe(false);
  },
);

testNeeding(SANDBOX)("a program without a network talks to this machine through a socket that is mounted", async () => {
  using sockets = new Directory();
  Bun.spawnSync(["chmod", "755", sockets.path]);
  const server = createServer((socket) => socket.end("hello from outside"));
  await new Promise<void>((listening) => server.listen(join(sockets.path, "launcher"), listening));
  Bun.spawnSync(["chmod", "666", join(sockets.path, "launcher")]);
  const connect = `require("node:net").connect("/run/abeval/launcher").on("data", (it) => console.log(String(it)))`;
  const mounts = [{ from: sockets.path, to: "/run/abeval" }];
  const { stdout } = await outcome("bubblewrap", ["bun", "-e", connect], { mounts });
  server.close();
  expect(stdout).toBe("hello from outside\n");
});

describeNeeding(SANDBOX)("a mount is refused with words", () => {
  const path = import.meta.dir;
  const outside = /must go below \/opt, \/run, \/home\/agent/;
  const refused: readonly (readonly [from: string, to: string, why: RegExp])[] = [
    ["/usr/nowhere", "/opt/x", /mount of \/usr\/nowhere at \/opt\/x is not possible: there is no such file/],
    ["usr", "/opt/x", /absolute path/],
    ["/usr", "/workspace", outside],
    ["/usr", "/workspace/bin", outside],
    ["/usr", "/", outside],
    ["/usr", "/etc/passwd", outside],
    ["/usr", "/opt", outside],
    ["/usr", "/optional/x", outside],
    ["/usr", "/opt/../workspace", outside],
    ["/usr", "/opt/x/", outside],
    ["/usr", "/opt/bun/bin", /would cover \/opt\/bun/],
    ["/usr\0--bind", "/opt/x", /NUL/],
    ["/", "/opt/x", /show the workspace a second time/],
  ];
  test.each([...refused])("%p at %p", async (from, to, why) => {
    const program = { command: "true", directory: path, network: "none", mounts: [{ from, to }] } as const;
    expect(await failure(openBubblewrap(host).start(program, never))).toMatch(why);
  });
});

test("a mount is refused where there is no sandbox", async () => {
  const mounts = [{ from: "/usr", to: "/opt/x" }];
  const program = { command: "true", directory: "/usr", network: "none", mounts } as const;
  expect(await failure(openSandbox("none", host).start(program, never))).toMatch(/needs bubblewrap/);
});

const failure = (promise: Promise<unknown>) => promise.then(String, (error) => `${error.code}: ${error.message}`);

testNeeding(SANDBOX)("a fork bomb that runs stays within its sandbox", async () => {
  const bomb = `perl -e '$| = 1; for (1 .. 1000) { my $p = fork; if (!defined $p) { print "$_\\n"; last } if (!$p) { sleep 60; exit } } sleep 60'`;
  await using running = await started("bubblewrap", bomb);
  const count = Number(await lines(running.process.stdout)());
  expect(count).toBeGreaterThan(100);
  expect(count).toBeLessThan(260);
});

/** In a process of its own, which is killed. */
const MAKER = (directory: string, mark: string) => `
  import { openSandbox } from "${join(import.meta.dir, "../../src/arms/sandbox/open-sandbox.ts")}";
  const host = ${JSON.stringify({ path: host.path, executable: host.executable })};
  const sandbox = openSandbox("bubblewrap", { ...host, clock: { now: () => new Date(), ticks: () => 0 } });
  const command = "sleep ${mark} & setsid sleep ${mark} & echo ready; wait";
  const program = { command, directory: "${directory}", network: "none" };
  const { stdout } = await sandbox.start(program, new AbortController().signal);
  for await (const chunk of stdout) process.stdout.write(chunk);
`;

testNeeding(SANDBOX)("a program dies with this process, also when that is killed at once", async () => {
  const mark = "2236.06";
  using workspace = workspaceOf(openSandbox("bubblewrap", host));
  const script = join(workspace.path, "maker.ts");
  writeFileSync(script, MAKER(workspace.path, mark));
  const maker = Bun.spawn([process.execPath, script], { stdio: ["ignore", "pipe", "inherit"] });
  const reader = maker.stdout.getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("ready\n");
  expect(processesWith(mark).length).toBeGreaterThan(1);
  maker.kill("SIGKILL");
  await maker.exited;
  await until(() => processesWith(mark).length === 0);
});

testNeeding(SANDBOX)("a program that cannot be started is told in bubblewrap's words", async () => {
  const sandbox = openBubblewrap({ ...host, read: [] });
  using workspace = workspaceOf(sandbox);
  const mounts = [
    { from: "/usr", to: "/home/agent/x" },
    { from: "/etc/hostname", to: "/home/agent/x/y/z" },
  ];
  const program = { command: "true", directory: workspace.path, network: "none", mounts } as const;
  expect(await failure(sandbox.start(program, never))).toMatch(/^sandbox_unavailable: .*bwrap: Can't/);
});

describeEachKind("a pause", (kind) => {
  test("stops a program with all that it started, also what has a process group of its own, until it goes on", async () => {
    const command = "setsid sh -c 'while :; do echo x >> counter; done' & echo started; wait";
    await using it = await started(kind, command);
    const line = lines(it.process.stdout);
    expect(await line()).toBe("started");
    const written = `${it.directory}/counter`;
    const size = () => (existsSync(written) ? readFileSync(written).length : 0);
    const another = () => it.sandbox.run({ ...shell("sleep 0.05"), directory: it.directory }, never);
    while (size() === 0) await another();
    await it.process.pause();
    const paused = size();
    await another();
    expect(size()).toBe(paused);
    await it.process.resume();
    while (size() === paused) await another();
    await it.process.pause();
    it.process.kill();
    expect((await it.process.ended).ended).toBe("killed");
  });
});
