import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FromServer, ToServer } from "../../src/doors/cli/supervisor/messages.ts";
import { AwakeSilence } from "../../src/doors/cli/supervisor/watched-server.ts";
import { abeval, PROGRAM, startAbeval } from "../abeval.ts";
import { jsonPost } from "../http/service.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { freePort } from "./free-port.ts";

const IMPATIENT = [process.execPath, join(import.meta.dir, "impatient-supervisor.ts")];

const NEVER_DONE = `
name: never-done
task: {prompt: Work.}
arms:
  - {id: left, model: scripted/left, system_prompt: Left., script: [{say: Done., delay_ms: 60000}]}
  - {id: right, model: scripted/right, system_prompt: Right., script: [{say: Done., delay_ms: 60000}]}
rubric: {criteria: [{id: turns, measure: turns}], judge: {model: builtin/evidence}}
`;

/** A supervised server on a free port, once it listens. */
async function supervised(flags: readonly string[] = [], program: readonly string[] = [...PROGRAM, "serve"]) {
  const directory = temporaryDirectory();
  writeFileSync(join(directory.path, "never-done.yaml"), NEVER_DONE);
  const places = ["--scenarios-dir", directory.path, "--state-dir", join(directory.path, "state")];
  const parent = startAbeval(["--addr", "127.0.0.1:0", "--grace", "0", ...places, ...flags], { program });
  let text = "";
  const reading = (async () => {
    for await (const chunk of parent.stderr.pipeThrough(new TextDecoderStream())) text += chunk;
  })();
  await until(async () => text.includes("listening on"));
  return {
    parent,
    directory: directory.path,
    url: /http:[^\s"]+/.exec(text)?.[0] ?? "",
    server: () => serverBelow(parent.pid),
    log: () => text,
    /** Resolves with the exit status when all that was said is read. */
    ended: async () => {
      await reading;
      return await parent.exited;
    },
    async [Symbol.asyncDispose]() {
      parent.kill("SIGKILL");
      await reading;
      directory[Symbol.dispose]();
    },
  };
}

function serverBelow(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? Number.NaN : Number(children.split(" ")[0]);
}

const isGone = (pid: number) => {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
};

const answers = async (url: string) => (await fetch(url).catch(() => undefined))?.status;

const startRun = async (url: string) =>
  (
    (await (await fetch(`${url}/api/runs/async`, jsonPost({ scenario: "never-done" }))).json()) as {
      session_id: string;
    }
  ).session_id;

test("a server that stands still is ended and started again at its address, and goes on once with each run that it had accepted", async () => {
  await using served = await supervised(["--max-sessions", "1"], IMPATIENT);
  const id = await startRun(served.url);
  const session = async (of = id) =>
    (await (await fetch(`${served.url}/api/sessions/${of}`)).json()) as { state: string; lost_attempts?: unknown[] };
  await until(async () => (await session()).state === "running");
  const waits = await startRun(served.url);
  const before = served.server();
  process.kill(before, "SIGSTOP");
  const starts = () => served.log().split("listening on").length - 1;
  await until(async () => starts() === 2, 30_000);
  expect(served.log()).toMatch(
    new RegExp(
      `no sign of life for \\d+ s and is ended; last step of a run: .*; runs under way: .*${id} \\(running.*${waits} \\(queued\\)`,
    ),
  );
  expect(served.log()).toContain("the server ended (SIGKILL) and is started again\n");
  expect(served.server()).not.toBe(before);
  await until(() => served.log().includes(`claimed ${waits} attempt 2`));
  expect(served.log()).toContain(`lost ${id} attempt 1 code process_lost`);
  expect(served.log()).not.toContain(`lost ${waits}`);
  await until(async () => (await session()).state === "running");
  expect((await session()).lost_attempts).toHaveLength(1);
  expect(await session(waits)).toMatchObject({ state: "queued" });
  process.kill(served.server(), "SIGSTOP");
  await until(async () => starts() === 3, 30_000);
  expect(await session()).toMatchObject({
    state: "interrupted",
    failure: { code: "interrupted", message: expect.stringMatching(/^2 servers fell silent while they ran it/) },
  });
  // It only waited behind the other one, which may have been what made them stand still.
  await until(async () => (await session(waits)).state === "running");
}, 60_000);

test("a run whose scenario has changed is not begun again after its server, and says so", async () => {
  await using served = await supervised([], IMPATIENT);
  const id = await startRun(served.url);
  writeFileSync(join(served.directory, "never-done.yaml"), NEVER_DONE.replace("Work.", "Something else."));
  process.kill(served.server(), "SIGKILL");
  const session = async () => await (await fetch(`${served.url}/api/sessions/${id}`).catch(() => undefined))?.json();
  const { failure } = await until(async () => {
    const outcome = (await session()) as { state: string; failure: { message: string } } | undefined;
    return outcome?.state === "interrupted" && outcome;
  });
  expect(failure.message).toBe(
    "The server that ran it ended without a word, and it is not begun again: its scenario has changed since",
  );
}, 60_000);

test("--health-addr answers 200 while the server serves, and 503 while it does not", async () => {
  const health = `http://127.0.0.1:${freePort()}/api/health`;
  await using served = await supervised(["--health-addr", new URL(health).host]);
  expect(await answers(health)).toBe(200);
  expect(await answers(new URL("/api/sessions", health).href)).toBe(404);
  process.kill(served.server(), "SIGKILL");
  await until(async () => (await answers(health)) === 503);
  await until(async () => (await answers(health)) === 200);
  expect(await answers(`${served.url}/api/health`)).toBe(200);
  expect(served.log()).toContain("abeval: the server ended (SIGKILL) and is started again in 1 s\n");
}, 30_000);

test("a server says that it listens when its supervisor answers for its health", async () => {
  const directory = temporaryDirectory();
  let said = "";
  const beaten = Promise.withResolvers<void>();
  const server = Bun.spawn([...PROGRAM, "__serve", "--addr", "127.0.0.1:0", "--state-dir", directory.path], {
    stderr: "pipe",
    ipc: (message: FromServer) => {
      if (message.opening) server.send({ go: { hangup_ignored: false } } satisfies ToServer);
      if (message.beat && !message.ready) beaten.resolve();
    },
  });
  const reading = (async () => {
    for await (const chunk of server.stderr.pipeThrough(new TextDecoderStream())) said += chunk;
  })();
  await beaten.promise;
  expect(said).not.toContain("listening on");
  server.send({ heard: true } satisfies ToServer);
  await until(async () => said.includes("listening on"));
  server.kill("SIGKILL");
  await reading;
  directory[Symbol.dispose]();
});

test("a server ends with its supervisor, also while it stands still", async () => {
  for (const signal of ["SIGCONT", "SIGSTOP"] as const) {
    await using served = await supervised();
    const server = served.server();
    process.kill(server, signal);
    served.parent.kill("SIGKILL");
    await until(async () => isGone(server));
    expect(await served.parent.exited).toBe(137);
  }
});

test("a signal that reaches both stops the server once, and a second one at once", async () => {
  await using served = await supervised();
  const server = served.server();
  served.parent.kill("SIGTERM");
  process.kill(server, "SIGTERM");
  expect(await served.ended()).toBe(0);
  expect(isGone(server)).toBe(true);
});

test("the second signal also ends a server that stands still", async () => {
  await using served = await supervised();
  const server = served.server();
  process.kill(server, "SIGSTOP");
  served.parent.kill("SIGTERM");
  served.parent.kill("SIGINT");
  expect(await served.ended()).toBe(137);
  expect(isGone(server)).toBe(true);
});

test("only time in which the supervisor itself was awake counts as silence", () => {
  const silence = new AwakeSilence(0);
  for (let second = 1; second <= 20; second += 1) silence.look(second * 1_000);
  expect(silence.look(3_600_000)).toBe(21_000);
  silence.end();
  expect(silence.look(3_601_000)).toBe(1_000);
});

test("a start that fails is told once, with its own status", async () => {
  await using served = await supervised();
  const taken = new URL(served.url).host;
  const { status, stderr } = await abeval(["serve", "--addr", taken]);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `abeval: ${taken} is in use by another program; stop it or choose another port with --addr 127.0.0.1:0\nSee: abeval serve --help\n`,
  });
  const health = await abeval(["serve", "--addr", "127.0.0.1:0", "--health-addr", taken]);
  expect(health.status).toBe(2);
  expect(health.stderr).toContain(
    `${taken} is in use by another program; stop it or choose another port with --health-addr`,
  );
  const alone = await abeval(["serve", "--no-supervise", "--health-addr", taken]);
  expect(alone.stderr).toContain("--health-addr is answered by the supervisor: leave out --no-supervise");
});
