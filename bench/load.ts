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
    // Forty seconds each; its hundred waves are a sample by themselves.
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
type Values = Record<Contender, number[]>;
const noValues = (): Values => ({ bare: [], sdk: [], memory: [], stored: [] });

/**
 * Provider, driver and server share the machine: hence the bare service beside it, with the same provider and driver. Two
 * starts of one program differ by 10 to 20%, so that a goal is held against several.
 */
async function atOnce(ground: Ground, together: number, starts: number): Promise<void> {
  const [rates, cpu, peaks] = [noValues(), noValues(), noValues()];
  for (let start = 0; start < starts; start += 1) await oneStart(ground, together, start, { rates, cpu, peaks });
  const median = (values: readonly number[]) => sampleOf(values).median;
  const row = `${SESSIONS} sessions, ${together} at once, provider 0 ms`;
  const [bareRate, bareCpu] = [median(rates.bare), median(cpu.bare)];
  report(`${row}, bare with the SDK`, sampleOf(rates.sdk), {
    unit: "a second",
    yardstick: `CPU ${round(median(cpu.sdk) / bareCpu)} x a bare service`,
  });
  for (const name of ["memory", "stored"] as const) {
    const rate = sampleOf(rates[name]);
    report(`${row}, ${name}`, rate, {
      unit: "a second",
      yardstick: `${round(rate.median / bareRate)} x a bare service (${round(bareRate)} a second), starts=${starts}`,
      ...(together === 8 ? { goal: ">= 900 a second", met: rate.median >= 900 } : {}),
    });
    const ratio = median(cpu[name]) / bareCpu;
    report("  CPU a session", sampleOf(cpu[name]), {
      unit: "ms",
      yardstick: `${round(ratio)} x a bare service (${round(bareCpu)} ms)`,
      ...(together === 8 ? { goal: "<= 3 x", met: ratio <= 3 } : {}),
    });
    report("  peak memory", sampleOf(peaks[name]), {
      unit: "MiB",
      yardstick: `a bare service ${round(median(peaks.bare))} MiB`,
    });
  }
}

/** All four side by side, from their start on. */
async function oneStart(
  ground: Ground,
  together: number,
  start: number,
  { rates, cpu, peaks }: Readonly<Record<"rates" | "cpu" | "peaks", Values>>,
): Promise<void> {
  const path = (name: string) => join(ground.path, `${name}-${together}-${start}`);
  await using provider = startBenchProvider();
  await using bare = await bareService(provider, path("bare"));
  await using sdk = await bareService(provider, path("sdk"), "sdk");
  await using memory = await ground.serve(limits(together), provider);
  await using stored = await ground.serve([...limits(together), "--state-dir", path("rate")], provider);
  const servers = Object.entries({ bare, sdk, memory, stored }) as [Contender, ServerProcess][];
  for (const [, server] of servers) await timeRuns(server, COMPILED, together);
  for (let turn = 0; turn < 9; turn += 1)
    for (const [name, server] of servers) {
      const cpuBefore = server.cpu_ms();
      const took = await timeRuns(server, SESSIONS, together);
      cpu[name].push((server.cpu_ms() - cpuBefore) / SESSIONS);
      rates[name].push((SESSIONS / took) * 1000);
    }
  for (const [name, server] of servers) peaks[name].push(server.peak_mib());
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
