import { join } from "node:path";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { Ground, limits, overProvider, run, timeTogether } from "./program.ts";
import { type BenchProvider, startBenchProvider } from "./provider.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const SESSIONS = 200;
const SLOW_MS = 200;

/** Sessions that a server has run before it is measured: what it needs is loaded, as in a server that has work. */
const WARM_UP = 1_000;

/** The same before a rate is measured: until then the runtime's compiler takes a fifth of the CPU beside the sessions. */
const COMPILED = 10_000;

/** Many sessions at once, with a provider that takes its time and with one that answers at once. */
export async function load(): Promise<void> {
  const ground = new Ground();
  ground.scenario("hello", overProvider("hello"));
  await slowProvider(ground);
  await atOnce(ground, 2, 1);
  await atOnce(ground, 8, 3);
  await atOnce(ground, 32, 1);
  await memoryOverTime(ground);
}

const timeRuns = (server: ServerProcess, total: number, together: number) =>
  timeTogether(total, together, () => run(server, "hello"));

async function slowProvider(ground: Ground): Promise<void> {
  await using provider = startBenchProvider();
  for (const { together, goal, rounds } of [
    // A run takes forty seconds, and its hundred waves are a sample by themselves.
    { together: 2, goal: 1.03, rounds: 1 },
    { together: 8, goal: 1.03, rounds: 5 },
    { together: 32, goal: 1.04, rounds: 5 },
  ]) {
    const state = join(ground.path, `slow-${together}`);
    await using server = await ground.serve(["--state-dir", state, ...limits(together)], provider);
    provider.delay_ms = 0;
    await timeRuns(server, WARM_UP, together);
    provider.delay_ms = SLOW_MS;
    const cpuBefore = server.cpu_ms();
    const { took } = await inTurns({ took: () => timeRuns(server, SESSIONS, together) }, rounds);
    const cpu_ms = (server.cpu_ms() - cpuBefore) / SESSIONS / rounds;
    const ideal = Math.ceil(SESSIONS / together) * 2 * SLOW_MS;
    const ratio = took.median / ideal;
    report(`${SESSIONS} sessions, ${together} at once, provider ${SLOW_MS} ms`, took, {
      unit: "ms",
      yardstick: `${ratio.toFixed(3)} x the ideal (${ideal} ms), n=${rounds}`,
      goal: `<= ${goal} x`,
      met: ratio <= goal,
    });
    const rate = `${round((SESSIONS / took.median) * 1000)} sessions a second`;
    report("  CPU a session", sampleOf([cpu_ms]), { unit: "ms", yardstick: rate });
    report("  peak memory", sampleOf([server.peak_mib()]), { unit: "MiB", yardstick: "whole process" });
  }
}

type Contender = "bare" | "sdk" | "memory" | "stored";

/** What was measured of one start, a value a round; the peak, in MiB, is one. */
type Figures = Readonly<Record<"per_second" | "cpu_ms" | "peak_mib", number[]>>;

/**
 * Provider, driver and server share the machine: hence the bare service beside it, with the same provider and driver. Two
 * starts of one program differ by 10 to 20%, so that a goal is held against several.
 */
async function atOnce(ground: Ground, together: number, starts: number): Promise<void> {
  const measured: Record<Contender, Figures>[] = [];
  for (let start = 0; start < starts; start += 1) measured.push(await oneStart(ground, together, start));
  const sample = (name: Contender, figure: keyof Figures) => sampleOf(measured.flatMap((start) => start[name][figure]));
  const row = `${SESSIONS} sessions, ${together} at once, provider 0 ms`;
  const [bareRate, bareCpu] = [sample("bare", "per_second").median, sample("bare", "cpu_ms").median];
  report(`${row}, bare with the SDK`, sample("sdk", "per_second"), {
    unit: "a second",
    yardstick: `CPU ${round(sample("sdk", "cpu_ms").median / bareCpu)} x a bare service`,
  });
  for (const name of ["memory", "stored"] as const) {
    const rate = sample(name, "per_second");
    report(`${row}, ${name}`, rate, {
      unit: "a second",
      yardstick: `${round(rate.median / bareRate)} x a bare service (${round(bareRate)} a second), starts=${starts}`,
      ...(together === 8 ? { goal: ">= 900 a second", met: rate.median >= 900 } : {}),
    });
    const cpu = sample(name, "cpu_ms");
    const ratio = cpu.median / bareCpu;
    report("  CPU a session", cpu, {
      unit: "ms",
      yardstick: `${round(ratio)} x a bare service (${round(bareCpu)} ms)`,
      ...(together === 8 ? { goal: "<= 3 x", met: ratio <= 3 } : {}),
    });
    report("  peak memory", sample(name, "peak_mib"), {
      unit: "MiB",
      yardstick: `a bare service ${round(sample("bare", "peak_mib").median)} MiB`,
    });
  }
}

/** All four started, warmed and measured in turns. */
async function oneStart(ground: Ground, together: number, start: number): Promise<Record<Contender, Figures>> {
  const path = (name: string) => join(ground.path, `${name}-${together}-${start}`);
  await using provider = startBenchProvider();
  await using bare = await bareService(provider, path("bare"));
  await using sdk = await bareService(provider, path("sdk"), "sdk");
  await using memory = await ground.serve(limits(together), provider);
  await using stored = await ground.serve([...limits(together), "--state-dir", path("rate")], provider);
  const servers = { bare, sdk, memory, stored };
  for (const server of Object.values(servers)) await timeRuns(server, COMPILED, together);
  const noFigures = (): Figures => ({ per_second: [], cpu_ms: [], peak_mib: [] });
  const figures = { bare: noFigures(), sdk: noFigures(), memory: noFigures(), stored: noFigures() };
  const timed = (name: Contender) => async () => {
    const cpuBefore = servers[name].cpu_ms();
    const took = await timeRuns(servers[name], SESSIONS, together);
    figures[name].cpu_ms.push((servers[name].cpu_ms() - cpuBefore) / SESSIONS);
    figures[name].per_second.push((SESSIONS / took) * 1000);
    return took;
  };
  await inTurns({ bare: timed("bare"), sdk: timed("sdk"), memory: timed("memory"), stored: timed("stored") }, 9);
  for (const name of Object.keys(servers) as Contender[]) figures[name].peak_mib.push(servers[name].peak_mib());
  return figures;
}

const bareService = (provider: BenchProvider, ...args: readonly string[]) =>
  startServer([process.execPath, join(import.meta.dir, "yardstick/bare-service.ts"), ...args], provider.environment);

/** A stored server keeps nothing of what it ran. */
async function memoryOverTime(ground: Ground): Promise<void> {
  await using provider = startBenchProvider();
  const state = ["--state-dir", join(ground.path, "flat")];
  await using server = await ground.serve([...limits(8), ...state], provider);
  await timeRuns(server, WARM_UP, 8);
  const before = server.resident_mib();
  await timeRuns(server, 1_000, 8);
  const after = server.resident_mib();
  const ratio = after / before;
  report("memory after 1,000 more sessions", sampleOf([after]), {
    unit: "MiB",
    yardstick: `${round(ratio)} x after the first ${WARM_UP} (${round(before)} MiB)`,
    goal: "flat (<= 1.1 x)",
    met: ratio <= 1.1,
  });
}
