import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { type BenchProvider, startBenchProvider } from "./provider.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { readUntil, type StreamReader, timeGets } from "./sockets.ts";

/**
 * The service under load: `bun bench/serve.ts [part...]`, parts: ready health list stream slow rate. The program is
 * dist/abeval, or what ABEVAL_BIN names.
 */
const ABEVAL = process.env["ABEVAL_BIN"] ?? join(import.meta.dir, "../dist/abeval");
const PROVIDER_MS = 200;

const directory = mkdtempSync(join(tmpdir(), "abeval-bench-"));
const scenarios = join(directory, "scenarios");
const PARTS = { ready, health, list, stream, slow, rate };

/** One provider call an arm, one in each order of the judge. */
function helloScenario(): string {
  const arm = (id: string) => `  - {id: ${id}, model: openai/m, system_prompt: ${id}, tools: []}`;
  const rubric = "rubric: {criteria: [{question: Was it kind?}, {measure: turns}], judge: {model: openai/judge}}";
  return ["name: hello", "task: {prompt: Say hello.}", "arms:", arm("one"), arm("two"), rubric, ""].join("\n");
}

const serve = (flags: readonly string[] = [], provider?: BenchProvider) =>
  startServer(
    [ABEVAL, "serve", "--addr", "127.0.0.1:0", "--scenarios-dir", scenarios, "--log", "none", ...flags],
    provider?.environment,
  );

async function ready(): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < 15; n += 1) {
    const began = performance.now();
    await using server = await serve();
    await fetch(new URL("/api/health", server.url));
    times.push(performance.now() - began);
  }
  const figure = sampleOf(times);
  report("ready: spawn to the first 200", figure, {
    unit: "ms",
    yardstick: "whole process",
    goal: "<= 30 ms",
    met: figure.median <= 30,
  });
}

async function health(): Promise<void> {
  const count = 40_000;
  await using ours = await serve();
  await using bare = await startServer([process.execPath, join(import.meta.dir, "yardstick/bare-elysia.ts")]);
  const perSecond = async ({ url }: ServerProcess) => (count / (await timeGets(url, "/api/health", count))) * 1000;
  await perSecond(ours);
  await perSecond(bare);
  const rates = await inTurns({ ours: () => perSecond(ours), bare: () => perSecond(bare) }, 7);
  const ratio = rates.ours.median / rates.bare.median;
  report("GET /api/health", rates.ours, {
    unit: "a second",
    yardstick: `${round(ratio)} x bare Elysia (${round(rates.bare.median)} a second)`,
    goal: ">= 0.8 x",
    met: ratio >= 0.8,
  });
}

async function list(): Promise<void> {
  const count = 200;
  await using few = await serve(["--state-dir", await stateWith(1_000)]);
  await using many = await serve(["--state-dir", await stateWith(100_000)]);
  const each = async ({ url }: ServerProcess) => (await timeGets(url, "/api/sessions?limit=50", count, 1)) / count;
  await each(few);
  await each(many);
  const times = await inTurns({ few: () => each(few), many: () => each(many) }, 7);
  const ratio = times.many.median / times.few.median;
  report("newest 50 of 100,000 sessions", times.many, {
    unit: "ms",
    yardstick: `${round(ratio)} x of 1,000 (${round(times.few.median)} ms)`,
    goal: "flat (<= 1.2 x)",
    met: ratio <= 1.2,
  });
}

/** A state directory with one session that really ran, and copies of its row. */
async function stateWith(sessions: number): Promise<string> {
  const state = join(directory, `state-${sessions}`);
  {
    await using provider = startBenchProvider();
    await using server = await serve(["--state-dir", state], provider);
    await run(server);
  }
  using database = new Database(join(state, "sessions.db"));
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO sessions (session_id, scenario, state, owner, copied, listing, outcome)
     SELECT printf('session-hello-20260102T%09dZ', i), scenario, state, NULL, 1, listing, outcome
     FROM n, (SELECT * FROM sessions LIMIT 1)`,
    [sessions - 1],
  );
  return state;
}

async function run({ url }: ServerProcess): Promise<void> {
  const response = await fetch(new URL("/api/runs", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"scenario":"hello"}',
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

const READERS = 1_000;

async function stream(): Promise<void> {
  const grown: number[] = [];
  const lag = async (announced: Promise<Announced>) => {
    const { lag_ms, grown_mib } = await announced;
    grown.push(grown_mib);
    return lag_ms;
  };
  const lags = await inTurns(
    {
      one: async () => (await announce(1)).lag_ms,
      bare: async () => (await announceBare(READERS)).lag_ms,
      ours: () => lag(announce(READERS)),
    },
    7,
  );
  const ratio = round(lags.ours.median / lags.bare.median);
  report(`verdict_ready at the last of ${READERS} readers`, lags.ours, {
    unit: "ms",
    yardstick: `${ratio} x a bare stream (${round(lags.bare.median)} ms); one reader ${round(lags.one.median)} ms`,
    goal: "<= 25 ms",
    met: lags.ours.median <= 25,
  });
  const memory = sampleOf(grown);
  report("  memory over idle", memory, {
    unit: "MiB",
    yardstick: "the same server before",
    goal: "<= 20 MiB",
    met: memory.median <= 20,
  });
}

interface Announced {
  readonly lag_ms: number;
  readonly grown_mib: number;
}

/** From the judge's last answer to the last reader's verdict. @throws Error when a reader missed an event. */
async function announce(subscribers: number): Promise<Announced> {
  const judging = Promise.withResolvers<void>();
  let answered = 0;
  await using provider = startBenchProvider({
    async judging() {
      await judging.promise;
      answered = performance.now();
    },
  });
  await using server = await serve([], provider);
  await fetch(new URL("/api/health", server.url));
  const idle = server.resident_mib();
  const started = await fetch(new URL("/api/runs/async", server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"scenario":"hello"}',
  });
  const { session_id } = (await started.json()) as { session_id: string };
  const readers = await openReaders(server, `/api/runs/${session_id}/stream`, subscribers);
  judging.resolve();
  const ends = await Promise.all(readers.map(({ done }) => done));
  const grown_mib = server.resident_mib() - idle;
  const events = new Set(ends.map(({ text }) => text().match(/^data: /gm)?.length));
  if (events.size !== 1) throw new Error(`readers got ${[...events].join(", ")} events`);
  return { lag_ms: Math.max(...ends.map(({ at }) => at)) - answered, grown_mib };
}

async function announceBare(subscribers: number): Promise<Announced> {
  await using server = await startServer([process.execPath, join(import.meta.dir, "yardstick/bare-stream.ts")]);
  const idle = server.resident_mib();
  const readers = await openReaders(server, "/", subscribers);
  const began = performance.now();
  void fetch(new URL("/send", server.url));
  const ends = await Promise.all(readers.map(({ done }) => done));
  return { lag_ms: Math.max(...ends.map(({ at }) => at)) - began, grown_mib: server.resident_mib() - idle };
}

async function openReaders({ url }: ServerProcess, path: string, count: number): Promise<readonly StreamReader[]> {
  const readers = await Promise.all(Array.from({ length: count }, () => readUntil(url, path, "verdict_ready")));
  await Promise.all(readers.map(({ opened }) => opened));
  await Bun.sleep(200);
  return readers;
}

/** `total` blocking runs, `together` at a time; milliseconds for all. */
async function timeRuns(server: ServerProcess, total: number, together: number): Promise<number> {
  const began = performance.now();
  let left = total;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await run(server);
    }
  };
  await Promise.all(Array.from({ length: together }, lane));
  return performance.now() - began;
}

async function slow(): Promise<void> {
  await using provider = startBenchProvider({ delay_ms: PROVIDER_MS });
  const critical = 2 * PROVIDER_MS;
  for (const [together, total, goal] of [
    [2, 50, 1.03],
    [8, 200, 1.03],
    [32, 200, 1.04],
  ] as const) {
    const state = join(directory, `slow-${together}`);
    const flags = ["--state-dir", state, "--max-sessions", `${together}`, "--max-provider-calls", "200"];
    await using server = await serve(flags, provider);
    await timeRuns(server, together, together);
    const ideal = Math.ceil(total / together) * critical;
    const figure = sampleOf([await timeRuns(server, total, together)]);
    const ratio = figure.median / ideal;
    report(`${total} sessions, ${together} in flight, provider ${PROVIDER_MS} ms`, figure, {
      unit: "ms",
      yardstick: `${round(ratio)} x the ideal (${ideal} ms)`,
      goal: `<= ${goal} x`,
      met: ratio <= goal,
    });
  }
}

/** The same four calls a session with nothing around them. */
async function bareSessions({ url }: BenchProvider, total: number, together: number): Promise<number> {
  const call = async (body: string) => {
    const response = await fetch(new URL("/v1/chat/completions", url), { method: "POST", body });
    await response.json();
  };
  const arm = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Say hello." }] });
  const began = performance.now();
  let left = total;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await Promise.all([call(arm), call(arm)]);
      await Promise.all([call(arm), call(arm)]);
    }
  };
  await Promise.all(Array.from({ length: together }, lane));
  return performance.now() - began;
}

async function rate(): Promise<void> {
  const [total, together] = [400, 8];
  await using provider = startBenchProvider();
  const flags = ["--max-sessions", `${together}`, "--max-provider-calls", "200"];
  await using memory = await serve(flags, provider);
  await using stored = await serve([...flags, "--state-dir", join(directory, "rate")], provider);
  const perSecond = async (ms: Promise<number>) => (total / (await ms)) * 1000;
  await timeRuns(memory, 100, together);
  await timeRuns(stored, 100, together);
  const cpuBefore = stored.cpu_ms();
  const rounds = 3;
  const rates = await inTurns(
    {
      bare: () => perSecond(bareSessions(provider, total, together)),
      memory: () => perSecond(timeRuns(memory, total, together)),
      stored: () => perSecond(timeRuns(stored, total, together)),
    },
    rounds,
  );
  const cpu = (stored.cpu_ms() - cpuBefore) / (rounds * total);
  const yardstick = `${round(rates.bare.median)} a second for the bare calls; provider and driver share the machine`;
  for (const kind of ["memory", "stored"] as const)
    report(`sessions at 0 ms, ${together} in flight, ${kind}`, rates[kind], {
      unit: "a second",
      yardstick,
      goal: ">= 900 a second",
      met: rates[kind].median >= 900,
    });
  report("  CPU of the server for a stored session", sampleOf([cpu]), {
    unit: "ms",
    yardstick: "0.38 ms for a bare service, driver included",
    goal: "<= 3 x",
    met: cpu <= 3 * 0.38,
  });
}

try {
  mkdirSync(scenarios);
  writeFileSync(join(scenarios, "hello.yaml"), helloScenario());
  const chosen = process.argv.slice(2);
  for (const [name, part] of Object.entries(PARTS)) if (chosen.length === 0 || chosen.includes(name)) await part();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
