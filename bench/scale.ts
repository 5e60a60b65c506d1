import { POSTGRES, type PostgresServer, postgresServer, type TestDatabase } from "../test/postgres/server.ts";
import { until } from "../test/turns.ts";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { ABEVAL, BenchDirectory, helloScenario, post, scripted, timeTogether } from "./program.ts";
import type { ServerProcess } from "./server-process.ts";

/** Sessions at once, of each worker. */
const SLOTS = 4;
const ROUNDS = 3;

/** Several processes on one database. */
export async function scale(): Promise<void> {
  if (!POSTGRES.met) return console.log(`several servers are not measured: ${POSTGRES.what} is missing`);
  await using postgres = await postgresServer();
  const dir = new BenchDirectory();
  dir.scenario("tiny", scripted("tiny"));
  dir.scenario("waiting", helloScenario("waiting", waiting, "builtin/evidence"));
  dir.scenario("steps", helloScenario("steps", steps, "builtin/evidence", "policies: {budget: {max_turns: 200}}"));
  await more(dir, postgres, { name: "60 runs of 1 s, 3 workers", scenario: "waiting", runs: 60, goal: 2.4 });
  await more(dir, postgres, { name: "200 tiny runs, 3 workers", scenario: "tiny", runs: 200 });
  await events(dir, postgres);
}

const waiting = (id: string) => `model: scripted/${id}, tools: [], script: [{say: Hello., delay_ms: 1000}]`;

/** Decisions far enough apart that each is announced alone. */
const steps = (id: string) => {
  const looks = Array.from({ length: id === "one" ? 100 : 0 }, () => "{calls: [{list_files: {}}], delay_ms: 30}");
  return `model: scripted/${id}, tools: [list_files], script: [${[...looks, "{say: Hello.}"].join(", ")}]`;
};

interface Share {
  readonly name: string;
  readonly scenario: string;
  readonly runs: number;
  /** Times as fast as one worker. */
  readonly goal?: number;
}

async function more(
  dir: BenchDirectory,
  postgres: PostgresServer,
  { name, scenario, runs, goal }: Share,
): Promise<void> {
  const shared = (workers: number) => () => timeShared(dir, postgres, { workers, scenario, runs });
  const times = await inTurns({ one: shared(1), three: shared(3) }, ROUNDS);
  const ratio = times.one.median / times.three.median;
  report(name, times.three, {
    unit: "ms",
    yardstick: `${round(ratio)} x as fast as one worker (${round(times.one.median)} ms), ${SLOTS} sessions each`,
    ...(goal !== undefined && { goal: `>= ${goal} x`, met: ratio >= goal }),
  });
}

interface Sharing {
  readonly workers: number;
  readonly scenario: string;
  readonly runs: number;
}

/** From the first request to the last verdict, with a database of its own. */
async function timeShared(
  dir: BenchDirectory,
  postgres: PostgresServer,
  { workers, scenario, runs }: Sharing,
): Promise<number> {
  const database = await postgres.create();
  await using server = await dir.serve(["--max-sessions", "0", "--max-queued", `${runs}`, ...on(database)]);
  await using _workers = await startWorkers(database, workers);
  const began = performance.now();
  await timeTogether(runs, 8, async () => await (await post(server, scenario, "/api/runs/async")).arrayBuffer());
  await untilMet(database, `SELECT count(*) = ${runs} AS met FROM abeval.sessions WHERE state = 'completed'`);
  return performance.now() - began;
}

const on = ({ url }: TestDatabase) => ["--database-url", url];

async function startWorkers(database: TestDatabase, count: number): Promise<AsyncDisposable> {
  const environment = { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home" };
  const children = Array.from({ length: count }, () =>
    Bun.spawn([ABEVAL, "serve", "--worker", "--max-sessions", `${SLOTS}`, ...on(database)], {
      env: environment,
      stdio: ["ignore", "ignore", "ignore"],
    }),
  );
  await untilMet(database, `SELECT count(*) = ${count} AS met FROM abeval.workers WHERE slots > 0`);
  return {
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(children.map(({ exited }) => exited));
    },
  };
}

async function untilMet({ url }: TestDatabase, statement: string): Promise<void> {
  await using sql = new Bun.SQL(url, { max: 1 });
  await until(async () => Boolean((await sql.unsafe(statement))[0]?.met), 600_000, 10);
}

/** How old a decision is when a reader has it: of the server that runs the session, and of another. */
async function events(dir: BenchDirectory, postgres: PostgresServer): Promise<void> {
  const database = await postgres.create();
  await using answering = await dir.serve(["--max-sessions", "0", ...on(database)]);
  await using running = await dir.serve(["--max-sessions", "1", ...on(database)]);
  await untilMet(database, "SELECT count(*) = 1 AS met FROM abeval.workers WHERE slots > 0");
  const ages: Record<"own" | "other", number[]> = { own: [], other: [] };
  for (let n = 0; n < ROUNDS; n += 1) {
    const { session_id } = (await (await post(answering, "steps", "/api/runs/async")).json()) as { session_id: string };
    const path = `/api/runs/${session_id}/stream`;
    const [own, other] = await Promise.all([readAges(running, path), readAges(answering, path)]);
    ages.own.push(...own);
    ages.other.push(...other);
  }
  const [own, other] = [quantiles(ages.own), quantiles(ages.other)];
  report("a decision at a reader of another server, p50", sampleOf([other.p50]), {
    unit: "ms",
    yardstick: `of the server that runs it ${round(own.p50)} ms; n=${ages.other.length}`,
  });
  report("  p95", sampleOf([other.p95]), {
    unit: "ms",
    yardstick: `of the server that runs it ${round(own.p95)} ms`,
    goal: "<= 100 ms",
    met: other.p95 <= 100,
  });
}

/** Milliseconds from each decision's own time to its arrival. Those from before the reader are left out. */
async function readAges({ url }: ServerProcess, path: string): Promise<number[]> {
  const response = await fetch(new URL(path, url));
  if (!response.ok || response.body === null) throw new Error(await response.text());
  const opened = Date.now();
  const ages: number[] = [];
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const now = Date.now();
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop() ?? "";
    const events = frames.flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? []).map((text) => JSON.parse(text));
    const times = events.flatMap(({ decision }) => (decision ? Date.parse(decision.at) : []));
    ages.push(...times.filter((at) => at > opened).map((at) => now - at));
  }
  return ages;
}

function quantiles(values: readonly number[]): { p50: number; p95: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}
