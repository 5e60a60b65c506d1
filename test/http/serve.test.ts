import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunStarted } from "../../src/domain/request.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX_MODE } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { sampleOf, samplesIn } from "./exposition.ts";
import { type Served, serve as serveWith } from "./served.ts";
import { jsonPost, readStream, slowScenario, writeScenarios } from "./service.ts";

/** Without scenarios where a test names none: those of this repository would be read at each start. */
const serve = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  serveWith(args.includes("--scenarios-dir") ? args : ["--scenarios-dir", import.meta.dir, ...args], env);

function aDirectory() {
  const directory = temporaryDirectory();
  const scenarios = writeScenarios(join(directory.path, "scenarios"));
  const state = join(directory.path, "state");
  return {
    path: directory.path,
    state,
    flags: ["--scenarios-dir", scenarios, "--state-dir", state],
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

async function start({ url }: Served, scenario: string, models = {}): Promise<string> {
  const response = await fetch(`${url}/api/runs/async`, jsonPost({ scenario, ...models }));
  return ((await response.json()) as RunStarted).session_id;
}

const read = async ({ url }: Served, id: string) =>
  (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;

test("a start with broken scenarios counts and names them", async () => {
  using directory = temporaryDirectory();
  const scenarios = writeScenarios(join(directory.path, "scenarios"));
  for (const name of ["z1", "z2"]) writeFileSync(join(scenarios, `${name}.yaml`), "name: [");
  await using served = await serve(["--scenarios-dir", scenarios]);
  await until(() => / scenarios? (is|are) broken: .*z1, z2/.test(served.log()));
  expect(served.log()).toContain(`abeval check ${scenarios}/<file> says why`);
});

describe("a start that cannot work is one line and exit 2", () => {
  test("when the port is in use, also by another abeval", async () => {
    await using first = await serve();
    const { host, port } = new URL(first.url);
    const { status, stdout, stderr } = await abeval(["serve", "--addr", host]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.split("\n")[0]).toBe(
      `abeval: 127.0.0.1:${port} is in use by another program; stop it or choose another port with --addr 127.0.0.1:0`,
    );
    expect(stderr).not.toContain("    at ");
    expect((await fetch(`${first.url}/api/health`)).status).toBe(200);
  });

  test.each(["serve", "mcp"])("when --scenarios-dir is a file: %s", async (command) => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "one.yaml");
    writeFileSync(file, slowScenario("one", 1));
    const { status, stdout, stderr } = await abeval([command, "--scenarios-dir", file]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toStartWith(`abeval: --scenarios-dir ${file}: is not a directory; name its directory`);
  });

  test("when a flag makes no sense, naming it", async () => {
    using directory = temporaryDirectory();
    const cases: readonly (readonly [args: string[], message: string])[] = [
      [["--addr", "8080"], '--addr: expected <host:port> with a port from 0 to 65535, got "8080"'],
      [
        ["--addr", "localhost:99999"],
        '--addr: expected <host:port> with a port from 0 to 65535, got "localhost:99999"',
      ],
      [["--addr", "203.0.113.7:0"], "cannot listen on 203.0.113.7:0; is 203.0.113.7 an address of this machine?"],
      [["--web-dir", join(directory.path, "none")], `--web-dir ${join(directory.path, "none")}: is not a directory`],
      [["--max-sessions", "0"], "--max-sessions 0 needs --database-url: no other process would accept or run anything"],
      [["--grace", "soon"], '--grace: expected a whole number from 0 to 86400, got "soon"'],
      [["--log", "xml"], '--log: expected text, json, none, got "xml"'],
      [["--adr", "x:1"], "unknown flag --adr; did you mean --addr?"],
    ];
    for (const [args, message] of cases) {
      const { status, stderr } = await abeval(["serve", "--no-supervise", ...args]);
      expect({ status, line: stderr.split("\n")[0] }).toEqual({ status: 2, line: `abeval: ${message}` });
    }
  }, 60_000);
});

test("an address that other machines can reach comes with a warning", async () => {
  await using served = await serve(["--addr", "0.0.0.0:0"]);
  expect(served.log()).toContain("there is no authentication");
});

test("--allowed-host may be given twice, and others are refused", async () => {
  await using served = await serve(["--allowed-host", "one.example", "--allowed-host", "two.example"]);
  const status = async (host: string) => (await fetch(`${served.url}/api/health`, { headers: { host } })).status;
  expect(await Promise.all(["one.example", "two.example", "localhost", "three.example"].map(status))).toEqual([
    200, 200, 200, 403,
  ]);
});

describe("the log", () => {
  test("as JSON has one line for each request, with its status and time and without its query", async () => {
    await using served = await serve(["--log", "json"]);
    await fetch(`${served.url}/api/health`);
    await fetch(`${served.url}/api/sessions?limit=7`);
    await fetch(`${served.url}/api/none`);
    await fetch(`${served.url}/api/runs`, { method: "OPTIONS" });
    await served.stop();
    const lines = served
      .log()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const requests = lines.filter((line) => "status" in line);
    expect(requests.map(({ method, path, status }) => ({ method, path, status }))).toEqual([
      { method: "GET", path: "/api/health", status: 200 },
      { method: "GET", path: "/api/sessions", status: 200 },
      { method: "GET", path: "/api/none", status: 404 },
      { method: "OPTIONS", path: "/api/runs", status: 204 },
    ]);
    for (const { at, ms } of requests) {
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(ms).toBeGreaterThanOrEqual(0);
    }
  });

  test("can be switched off", async () => {
    await using served = await serve(["--log", "none"]);
    await fetch(`${served.url}/api/health`);
    await served.stop();
    expect(served.log()).toBe(`abeval: no web UI: --web-dir names its directory\nabeval: listening on ${served.url}\n`);
  });
});

describe("when told to stop", () => {
  test("it ends at once with status 0 when nothing runs, whatever connections are open", async () => {
    await using served = await serve();
    await fetch(`${served.url}/api/health`, { headers: { connection: "keep-alive" } });
    const port = Number(new URL(served.url).port);
    const idle = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    // A server that waited for this one would never end.
    const dripping = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    dripping.write("GET /api/health HTTP/1.1\r\nx: ");
    const drops = setInterval(() => dripping.write("x"), 200);
    expect((await served.stop()).status).toBe(0);
    clearInterval(drops);
    idle.end();
  });

  test("it lets a run in flight finish, and sends its readers the verdict", async () => {
    using directory = aDirectory();
    const opened = Promise.withResolvers<void>();
    const reply = async () => {
      await opened.promise;
      return { text: "Done." };
    };
    await using provider = await startFakeProvider({ reply });
    await using served = await serve(directory.flags, { ABEVAL_SANDBOX: SANDBOX_MODE, ...provider.environment });
    const models = { model_override: "openai/any" };
    const id = await start(served, "quick", models);
    const blocking = fetch(`${served.url}/api/runs`, jsonPost({ scenario: "quick", ...models }));
    const stream = await fetch(`${served.url}/api/runs/${id}/stream`);
    // Both arms of both runs are at work.
    await until(() => provider.requests.length === 4);
    const stopped = served.stop("SIGINT");
    await until(() => served.log().includes("stopping"));
    opened.resolve();
    expect(await stopped).toEqual({ status: 0 });
    expect((await readStream(stream)).events.at(-1)?.["event"]).toBe("verdict_ready");
    expect(((await (await blocking).json()) as SessionOutcome).state).toBe("completed");
    await expect(fetch(`${served.url}/api/health`)).rejects.toThrow();
  });

  test("after SIGTERM it is not ready, takes work for a while, and answers health and metrics meanwhile", async () => {
    using directory = aDirectory();
    await using served = await serve([...directory.flags, "--grace", "2"]);
    const stopped = served.stop("SIGTERM");
    const status = async (path: string) => (await fetch(`${served.url}/api/${path}`)).status;
    await until(async () => (await status("ready")) === 503);
    const id = await start(served, "quick");
    expect([await status("health"), await status("metrics")]).toEqual([200, 200]);
    expect(await stopped).toEqual({ status: 0 });
    await using again = await serve(directory.flags);
    expect(await read(again, id)).toMatchObject({ state: "completed" });
  });

  test("it interrupts a run that has not finished in time, tells its readers, and stores it", async () => {
    using directory = aDirectory();
    await using served = await serve([...directory.flags, "--grace", "0"]);
    const id = await start(served, "slow");
    const stream = await fetch(`${served.url}/api/runs/${id}/stream`);
    expect((await served.stop()).status).toBe(0);
    expect((await readStream(stream)).events.at(-1)).toMatchObject({ event: "session_failed", code: "interrupted" });
    await using again = await serve(directory.flags);
    expect(await read(again, id)).toMatchObject({ state: "interrupted", failure: { code: "interrupted" } });
  });

  test("it ends at once at a second signal", async () => {
    using directory = aDirectory();
    await using served = await serve(directory.flags);
    await start(served, "slow");
    served.child.kill("SIGTERM");
    await until(() => served.log().includes("stopping"));
    expect(await served.stop()).toMatchObject({ status: 143 });
  });
});

test("a killed server loses no decision: its sessions are interrupted at the next start, which says what was lost", async () => {
  using directory = aDirectory();
  await using served = await serve(directory.flags);
  const id = await start(served, "slow");
  // The quick arm has answered while the slow one waits.
  for (let decisions = 0; decisions < 2; ) decisions = (await read(served, id)).decisions["right"]?.length ?? 0;
  const before = await read(served, id);
  await served.stop("SIGKILL");
  await using again = await serve(directory.flags);
  const after = await read(again, id);
  expect(after.state).toBe("interrupted");
  expect(after.decisions).toEqual(before.decisions);
  const told = again.log().match(/ (lost|ended) session-.*/g);
  expect(told).toEqual([
    ` lost ${id} attempt 1 code process_lost`,
    ` ended ${id} attempt 1 state interrupted code interrupted`,
  ]);
  const samples = samplesIn(await (await fetch(`${again.url}/api/metrics`)).text());
  expect(sampleOf(samples, "abeval_sessions_lost_total", { code: "process_lost" })).toBe(1);
});

test("a state directory that is moved meanwhile is no fault: its server goes on, and it opens whole in its new place", async () => {
  using directory = aDirectory();
  const moved = join(directory.path, "moved");
  const ids: string[] = [];
  const run = async (served: Served) => {
    const answer = await fetch(`${served.url}/api/runs`, jsonPost({ scenario: "quick" }));
    ids.push(((await answer.json()) as SessionOutcome).session_id);
  };
  {
    await using served = await serve([...directory.flags, "--log", "none"]);
    await run(served);
    renameSync(directory.state, moved);
    await run(served);
    expect(await served.stop()).toEqual({ status: 0 });
    expect(
      served
        .log()
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("abeval: ")),
    ).toEqual([]);
    expect(served.log()).not.toContain("fault");
  }
  expect(existsSync(directory.state)).toBe(false);
  await using served = await serve([...directory.flags.slice(0, 2), "--state-dir", moved]);
  for (const id of ids) expect(await read(served, id)).toMatchObject({ state: "completed" });
  expect(readdirSync(join(moved, "sessions")).toSorted()).toEqual(ids.map((id) => `${id}.json`).toSorted());
});

test("a body between our limit and the server's own is a 413 in our shape", async () => {
  await using served = await serve();
  const response = await fetch(`${served.url}/api/runs`, jsonPost({ scenario: "x".repeat(2_000_000) }));
  expect(response.status).toBe(413);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.json()).toEqual({
    error: { code: "body_too_large", message: "the body may hold 1048576 bytes" },
  });
});
