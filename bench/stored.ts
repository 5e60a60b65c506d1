import { join } from "node:path";
import { filledState } from "./filled-state.ts";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { BenchDirectory, limits, overProvider, run, timeTogether } from "./program.ts";
import { startBenchProvider } from "./provider.ts";

const SESSIONS = 200;
const TOGETHER = 8;
const WARM_UP = 1_000;

/** Speed and memory of a server over 100,000 stored sessions, beside one that began with none. */
export async function stored(): Promise<void> {
  const dir = new BenchDirectory();
  dir.scenario("hello", overProvider("hello"));
  await using provider = startBenchProvider();
  const flags = limits(TOGETHER);
  await using few = await dir.serve([...flags, "--state-dir", join(dir.path, "empty")], provider);
  await using many = await dir.serve([...flags, "--state-dir", await filledState(dir, "hello", 100_000)], provider);
  const servers = { few, many };
  const resident: Record<keyof typeof servers, number[]> = { few: [], many: [] };
  const rate = (name: keyof typeof servers) => async () => {
    const took = await timeTogether(SESSIONS, TOGETHER, () => run(servers[name], "hello"));
    // Read at once: the runtime gives memory back in the seconds after the work.
    resident[name].push(servers[name].resident_mib());
    return (SESSIONS / took) * 1000;
  };
  for (const server of [few, many]) await timeTogether(WARM_UP, TOGETHER, () => run(server, "hello"));
  const rates = await inTurns({ few: rate("few"), many: rate("many") }, 9);
  const ratio = rates.many.median / rates.few.median;
  report("sessions over 100,000 stored ones", rates.many, {
    unit: "a second",
    yardstick: `${round(ratio)} x over an empty store (${round(rates.few.median)} a second)`,
    goal: ">= 0.95 x",
    met: ratio >= 0.95,
  });
  const [memory, least] = [sampleOf(resident.many), sampleOf(resident.few)];
  const growth = memory.median / least.median;
  report("  memory", memory, {
    unit: "MiB",
    yardstick: `${round(growth)} x over an empty store (${round(least.median)} MiB)`,
    goal: "<= 1.3 x",
    met: growth <= 1.3,
  });
}
