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
  for (const together of [2, 8, 32]) await atOnce(ground, together);
  await memoryOverTime(ground);
}

const timeRuns = (server: ServerProcess, total: number, together: number) =>
  timeTogether(total, together, () => run(server, "hello"));

async function slowProvider(ground: Ground): Promise<void> {
  await using provider = startBenchProvider();
  for (const [together, goal] of [
    [2, 1.03],
    [8, 1.03],
    [32, 1.04],
  ] as const) {
    const state = join(ground.path, `slow-${together}`);
    await using server = await ground.serve(["--state-dir", state, ...limits(together)], provider);
    provider.delay_ms = 0;
    await timeRuns(server, WARM_UP, together);
    provider.delay_ms = SLOW_MS;
    const cpuBefore = server.cpu_ms();
    const took = await timeRuns(server, SESSIONS, together);
    const cpu_ms = (server.cpu_ms() - cpuBefore) / SESSIONS;
    const ideal = Math.ceil(SESSIONS / together) * 2 * SLOW_MS;
    const yardstick = `${(took / ideal).toFixed(3)} x the ideal (${ideal} ms)`;
    report(`${SESSIONS} sessions, ${together} at once, provider ${SLOW_MS} ms`, sampleOf([took]), {
      ...{ unit: "ms", yardstick },
      goal: `<= ${goal} x`,
      met: took / ideal <= goal,
    });
    explain(server, cpu_ms, `${round((SESSIONS / took) * 1000)} sessions a second`);
  }
}

function explain(server: ServerProcess, cpu_ms: number, beside: string): void {
  report("  CPU a session", sampleOf([cpu_ms]), { unit: "ms", yardstick: beside });
  report("  peak memory", sampleOf([server.peak_mib()]), { unit: "MiB", yardstick: "whole process" });
}

/** Provider, driver and server share the machine: hence the bare service beside it, with the same provider and driver. */
async function atOnce(ground: Ground, together: number): Promise<void> {
  await using provider = startBenchProvider();
  await using bare = await bareService(provider, join(ground.path, `bare-${together}.db`));
  await using sdk = await bareService(provider, join(ground.path, `sdk-${together}.db`), "sdk");
  await using memory = await ground.serve(limits(together), provider);
  const state = ["--state-dir", join(ground.path, `rate-${together}`)];
  await using stored = await ground.serve([...limits(together), ...state], provider);
  const servers = { bare, sdk, memory, stored };
  const cpu: Record<keyof typeof servers, number[]> = { bare: [], sdk: [], memory: [], stored: [] };
  const rate = (name: keyof typeof servers) => async () => {
    const cpuBefore = servers[name].cpu_ms();
    const took = await timeRuns(servers[name], SESSIONS, together);
    cpu[name].push((servers[name].cpu_ms() - cpuBefore) / SESSIONS);
    return (SESSIONS / took) * 1000;
  };
  for (const server of Object.values(servers)) await timeRuns(server, COMPILED, together);
  const rates = await inTurns(
    { bare: rate("bare"), sdk: rate("sdk"), memory: rate("memory"), stored: rate("stored") },
    9,
  );
  const bareCpu = sampleOf(cpu.bare);
  report(`${SESSIONS} sessions, ${together} at once, provider 0 ms, bare with the SDK`, rates.sdk, {
    unit: "a second",
    yardstick: `CPU ${round(sampleOf(cpu.sdk).median / bareCpu.median)} x a bare service`,
  });
  for (const name of ["memory", "stored"] as const) {
    const yardstick = `${round(rates[name].median / rates.bare.median)} x a bare service (${round(rates.bare.median)} a second)`;
    const rated = { unit: "a second", yardstick };
    const goal = together === 8 ? { goal: ">= 900 a second", met: rates[name].median >= 900 } : {};
    report(`${SESSIONS} sessions, ${together} at once, provider 0 ms, ${name}`, rates[name], { ...rated, ...goal });
    const used = sampleOf(cpu[name]);
    const ratio = used.median / bareCpu.median;
    report("  CPU a session", used, {
      unit: "ms",
      yardstick: `${round(ratio)} x a bare service (${round(bareCpu.median)} ms)`,
      ...(together === 8 ? { goal: "<= 3 x", met: ratio <= 3 } : {}),
    });
    const peak = sampleOf([servers[name].peak_mib()]);
    report("  peak memory", peak, { unit: "MiB", yardstick: `a bare service ${round(bare.peak_mib())} MiB` });
  }
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
