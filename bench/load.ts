import { join } from "node:path";
import { inTurns, report, round, type Sample, sampleOf } from "./measure.ts";
import { BenchDirectory, limits, overProvider, run, timeTogether } from "./program.ts";
import { type BenchProvider, startBenchProvider } from "./provider.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const SESSIONS = 200;
const SLOW_MS = 200;

/** Sessions that a server runs before it is measured, so that what it needs is loaded. */
const WARM_UP = 1_000;

/** Many sessions at once, with a provider that takes its time and with one that answers at once. */
export async function load(): Promise<void> {
  const dir = new BenchDirectory();
  dir.scenario("hello", overProvider("hello"));
  await slowProvider(dir);
  await burst(dir);
  await warm(dir);
  await cold(dir);
  await memoryOverTime(dir);
}

const timeRuns = (server: ServerProcess, total: number, together: number) =>
  timeTogether(total, together, () => run(server, "hello"));

/** The least that runs comparisons, with the same provider and the same driver. */
const bareService = ({ environment }: BenchProvider, database: string) =>
  startServer([process.execPath, join(import.meta.dir, "yardstick/bare-service.ts"), database], environment);

async function slowProvider(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider();
  for (const { together, goal, rounds } of [
    // A run takes forty seconds, and its hundred waves are a sample by themselves.
    { together: 2, goal: 1.04, rounds: 1 },
    { together: 8, goal: 1.05, rounds: 5 },
    { together: 32, goal: 1.1, rounds: 5 },
  ]) {
    const state = join(dir.path, `slow-${together}`);
    await using bare = await bareService(provider, join(dir.path, `bare-${together}`));
    await using server = await dir.serve(["--state-dir", state, ...limits(together)], provider);
    provider.delay_ms = 0;
    for (const service of [bare, server]) await timeRuns(service, WARM_UP, together);
    provider.delay_ms = SLOW_MS;
    const cpuBefore = server.cpu_ms();
    const of = (service: ServerProcess) => () => timeRuns(service, SESSIONS, together);
    const { took, least } = await inTurns({ took: of(server), least: of(bare) }, rounds);
    const cpu_ms = (server.cpu_ms() - cpuBefore) / SESSIONS / rounds;
    const ideal = Math.ceil(SESSIONS / together) * 2 * SLOW_MS;
    const ratio = took.median / ideal;
    report(`${SESSIONS} sessions, ${together} at once, provider ${SLOW_MS} ms`, took, {
      unit: "ms",
      yardstick: `${ratio.toFixed(3)} x ideal (${ideal} ms); a bare service ${(least.median / ideal).toFixed(3)} x; n=${rounds}`,
      goal: `<= ${goal} x`,
      met: ratio <= goal,
    });
    const rate = `${round((SESSIONS / took.median) * 1000)} sessions a second`;
    report("  CPU a session", sampleOf([cpu_ms]), { unit: "ms", yardstick: rate });
    report("  peak memory", sampleOf([server.peak_mib()]), { unit: "MiB", yardstick: "whole process" });
  }
}

/** Runs that are asked for at once. */
const BURST = 100;

/** What others wait for an answer meanwhile. They ask from a process of their own: the driver is busy with the burst. */
async function burst(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider();
  const state = ["--state-dir", join(dir.path, "burst")];
  await using server = await dir.serve([...limits(BURST), ...state], provider);
  await timeRuns(server, WARM_UP, TOGETHER);
  provider.delay_ms = SLOW_MS;
  const longest: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const command = [process.execPath, join(import.meta.dir, "longest-answer.ts"), `${server.url}api/health`];
    const asking = Bun.spawn(command, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = asking.stdout.getReader();
    await lines.read();
    await timeRuns(server, BURST, BURST);
    await asking.stdin.end();
    const { value } = await lines.read();
    longest.push(Number(new TextDecoder().decode(value)));
  }
  const figure = sampleOf(longest);
  report(`the longest answer while ${BURST} runs begin at once`, figure, {
    unit: "ms",
    yardstick: `GET /api/health every millisecond, n=${longest.length}`,
    goal: "<= 50 ms",
    met: figure.median <= 50,
  });
}

/** Sessions in flight where the provider answers at once. */
const TOGETHER = 8;

/** CPU of one session, its milliseconds in the server alone: the driver and the provider have processes of their own. */
async function cpuOfRuns(server: ServerProcess): Promise<number> {
  const before = server.cpu_ms();
  await timeRuns(server, SESSIONS, TOGETHER);
  return (server.cpu_ms() - before) / SESSIONS;
}

interface CpuGoal {
  readonly cpu: Record<"bare" | "memory" | "stored", Sample>;
  readonly limit_ms: number;
  readonly times_bare: number;
}

function reportCpu(when: string, { cpu, limit_ms, times_bare }: CpuGoal): void {
  for (const name of ["memory", "stored"] as const) {
    const ratio = cpu[name].median / cpu.bare.median;
    report(`CPU a session, ${when}, ${name}`, cpu[name], {
      unit: "ms",
      yardstick: `${round(ratio)} x a bare service (${round(cpu.bare.median)} ms)`,
      ...(name === "stored"
        ? {
            goal: `<= ${limit_ms} ms, <= ${times_bare} x`,
            met: cpu.stored.median <= limit_ms && ratio <= times_bare,
          }
        : {}),
    });
  }
}

/** A bare service runs beside, with the same provider and driver. */
async function warm(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider();
  await using bare = await bareService(provider, join(dir.path, "bare"));
  await using memory = await dir.serve(limits(TOGETHER), provider);
  await using stored = await dir.serve([...limits(TOGETHER), "--state-dir", join(dir.path, "rate")], provider);
  for (const server of [bare, memory, stored]) await timeRuns(server, WARM_UP, TOGETHER);
  const of = (server: ServerProcess) => () => cpuOfRuns(server);
  const cpu = await inTurns({ bare: of(bare), memory: of(memory), stored: of(stored) }, 9);
  reportCpu("warm", { cpu, limit_ms: 2, times_bare: 4 });
}

/** The first runs of a process, its start included. */
async function cold(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider();
  let started = 0;
  const of = (start: (name: string) => Promise<ServerProcess>) => async () => {
    started += 1;
    await using server = await start(`cold-${started}`);
    await timeRuns(server, SESSIONS, TOGETHER);
    return server.cpu_ms() / SESSIONS;
  };
  const bare = of((name) => bareService(provider, join(dir.path, name)));
  const memory = of(() => dir.serve(limits(TOGETHER), provider));
  const stored = of((name) => dir.serve([...limits(TOGETHER), "--state-dir", join(dir.path, name)], provider));
  reportCpu("cold", { cpu: await inTurns({ bare, memory, stored }, 5), limit_ms: 5, times_bare: 10 });
}

/** A server that stores its sessions keeps none of them in memory: halves are compared, for one reading swings by a fifth. */
async function memoryOverTime(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider();
  const state = ["--state-dir", join(dir.path, "flat")];
  await using server = await dir.serve([...limits(TOGETHER), ...state], provider);
  const readings: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    await timeRuns(server, WARM_UP, TOGETHER);
    readings.push(server.resident_mib());
  }
  const [first, last] = [sampleOf(readings.slice(0, 5)), sampleOf(readings.slice(5))];
  const ratio = last.median / first.median;
  report("memory while sessions 5,001 to 10,000 ran", last, {
    unit: "MiB",
    yardstick: `${round(ratio)} x while the first 5,000 ran (${round(first.median)} MiB)`,
    goal: "flat (<= 1.1 x)",
    met: ratio <= 1.1,
  });
}
