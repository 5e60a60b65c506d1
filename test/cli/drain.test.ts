import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunStarted } from "../../src/domain/request.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { abeval, PROGRAM, startAbeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { type Served, serve } from "../http/served.ts";
import { jsonPost, writeScenarios } from "../http/service.ts";
import { LINUX, ROOT_USER, SANDBOX_MODE } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";

/** `abeval drain` while it waits, with what it has said. */
function startDrain(...args: readonly string[]) {
  const child = startAbeval(["drain", ...args]);
  let said = "";
  const reading = (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) said += chunk;
  })();
  const ended = async () => {
    const status = await child.exited;
    await reading;
    return { status, last: said.trimEnd().split("\n").at(-1) };
  };
  return { child, said: () => said, ended };
}

const start = async ({ url }: Served) =>
  (await (
    await fetch(`${url}/api/runs/async`, jsonPost({ scenario: "quick", model_override: "openai/any" }))
  ).json()) as RunStarted;

const refusal = async (answer: Response) => [answer.status, ((await answer.json()) as { error: object }).error];

/** A server that runs one session at a time, whose models answer when `open` is called. */
async function slowServer(supervised?: true) {
  const opened = Promise.withResolvers<void>();
  await using parts = new AsyncDisposableStack();
  const scenarios_dir = writeScenarios(join(parts.use(temporaryDirectory()).path, "scenarios"));
  const reply = async () => {
    await opened.promise;
    return { text: "Done." };
  };
  const provider = parts.use(await startFakeProvider({ reply }));
  const flags = ["--scenarios-dir", scenarios_dir, "--max-sessions", "1", "--grace", "0", "--log", "none"];
  const env = { ABEVAL_SANDBOX: SANDBOX_MODE, ...provider.environment };
  const served = parts.use(await serve(flags, env, supervised ? { supervised } : {}));
  const held = parts.move();
  return { served, provider, open: opened.resolve, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

testNeeding(LINUX)(
  "a drained server takes nothing, and ends all that it accepted, with what waits for a place",
  async () => {
    await using slow = await slowServer(true);
    const { served } = slow;
    const ids = [await start(served), await start(served)];
    await until(() => slow.provider.requests.length === 2);
    const drain = startDrain("--pid", String(served.child.pid));
    await until(() => drain.said().includes("abeval: 2 at work\n"));
    const overloaded = { code: "overloaded", message: "the server is drained: it takes no more work; ask another" };
    expect(await refusal(await fetch(`${served.url}/api/runs`, jsonPost({ scenario: "quick" })))).toEqual([
      503,
      overloaded,
    ]);
    const not_ready = { code: "not_ready", message: "the server is drained: it takes no more work" };
    expect(await refusal(await fetch(`${served.url}/api/ready`))).toEqual([503, not_ready]);
    expect((await fetch(`${served.url}/api/metrics`)).status).toBe(200);
    slow.open();
    const pid = served.child.pid;
    expect(await drain.ended()).toEqual({
      status: 0,
      last: `abeval: nothing runs on the server ${pid} any more; it answers what only reads until it is stopped: kill ${pid}`,
    });
    const states = ids.map(async ({ session_id }) => {
      const answer = await fetch(`${served.url}/api/sessions/${session_id}`);
      return ((await answer.json()) as SessionOutcome).state;
    });
    expect(await Promise.all(states)).toEqual(["completed", "completed"]);
    // Whoever asks again has nothing to wait for, and the server stops at once.
    expect((await abeval(["drain", "--pid", String(pid)])).status).toBe(0);
    expect(await served.stop("SIGTERM")).toEqual({ status: 0 });
  },
);

testNeeding(LINUX)(
  "Ctrl-C ends the waiting, and the drain goes on; a server that ends before its runs is told",
  async () => {
    await using slow = await slowServer();
    const pid = String(slow.served.child.pid);
    await start(slow.served);
    const [one, other] = [startDrain("--pid", pid), startDrain("--pid", pid)];
    for (const drain of [one, other]) await until(() => drain.said().includes("abeval: 1 at work\n"));
    one.child.kill("SIGINT");
    expect(await one.ended()).toEqual({ status: 130, last: "abeval: nobody waits any more; the drain goes on" });
    expect((await fetch(`${slow.served.url}/api/ready`)).status).toBe(503);
    await slow.served.stop("SIGKILL");
    const last = `abeval: the server ${pid} ended before its runs had: the log of its next start says which`;
    expect(await other.ended()).toEqual({ status: 1, last });
  },
);

testNeeding(LINUX)("a server that crashes while it is drained is drained when it has been started again", async () => {
  await using slow = await slowServer(true);
  const pid = String(slow.served.child.pid);
  await start(slow.served);
  const drain = startDrain("--pid", pid);
  await until(() => drain.said().includes("abeval: 1 at work\n"));
  const [child = ""] = (await Bun.file(`/proc/${pid}/task/${pid}/children`).text()).split(" ");
  const named = await abeval(["drain", "--pid", child]);
  expect(named).toMatchObject({ status: 2, stderr: expect.stringContaining(`${child} is watched over by ${pid}`) });
  process.kill(Number(child), "SIGKILL");
  expect((await drain.ended()).status).toBe(0);
  expect((await fetch(`${slow.served.url}/api/ready`)).status).toBe(503);
});

testNeeding(LINUX)("what cannot be drained is named, is not signalled, and ends with 2", async () => {
  using directory = temporaryDirectory();
  // As an earlier version: the signal would end it.
  const earlier = join(directory.path, "main.ts");
  writeFileSync(earlier, "setInterval(() => undefined, 1_000)");
  const started = [Bun.spawn(["sleep", "60"]), Bun.spawn([process.execPath, earlier, "serve"])];
  const [stranger, older] = started.map(({ pid }) => String(pid)) as [string, string];
  await until(async () => (await Bun.file(`/proc/${stranger}/comm`).text()) === "sleep\n");
  await until(async () => (await Bun.file(`/proc/${older}/cmdline`).text()).endsWith("\0serve\0"));
  const cases: readonly (readonly [args: readonly string[], words: string])[] = [
    [["--pid", "4194304"], "--pid: there is no process 4194304"],
    [["--pid", stranger], `--pid: ${stranger} is no \`abeval serve\`; its name is "sleep"`],
    [
      ["--pid", older],
      `--pid: ${older} still starts, or is of a version that cannot be drained: try again, or stop it with SIGTERM`,
    ],
    [["--pid", "0"], '--pid: expected a whole number from 1 to 4194304, got "0"'],
    [["--pid", stranger, "--end"], "--end is for a database: a drained server is stopped, and started again"],
    [["--pid", stranger, "--database-url", "postgres://x@h/y"], "--pid and --database-url exclude each other"],
    [[], "say what to drain: --pid <pid>, or --database-url <url>"],
  ];
  const told = await Promise.all(cases.map(([args]) => abeval(["drain", ...args])));
  expect(told.map(({ status, stderr }) => [status, stderr.split("\n")[0]])).toEqual(
    cases.map(([, words]) => [2, `abeval: ${words}`]),
  );
  const own = Bun.spawnSync(["sh", "-c", `exec "$@" drain --pid $$`, "sh", ...PROGRAM], { stderr: "pipe" });
  expect({ status: own.exitCode, stderr: own.stderr.toString() }).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^abeval: --pid: \d+ is this command itself; name the server\n/),
  });
  for (const one of started) {
    expect(one.signalCode).toBeNull();
    one.kill();
  }
});

testNeeding(LINUX, ROOT_USER)("another user's process is nothing to drain", async () => {
  const args = ["--reuid=65534", "--clear-groups", ...PROGRAM, "drain", "--pid", String(process.pid)];
  const { exitCode, stderr } = Bun.spawnSync(["setpriv", ...args], { stderr: "pipe" });
  expect({ exitCode, line: stderr.toString().split("\n")[0] }).toEqual({
    exitCode: 2,
    line: `abeval: --pid: ${process.pid} belongs to another user (0): drain it as that user, or as root`,
  });
});
