import { join } from "node:path";
import { filledState } from "./filled-state.ts";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { Ground, limits, overProvider, run, timeTogether } from "./program.ts";
import { startBenchProvider } from "./provider.ts";

const SESSIONS = 200;
const TOGETHER = 8;
const WARM_UP = 1_000;

/** Whether a store with 100,000 sessions is as quick as one that began empty, and how much more memory it takes. */
export async function stored(): Promise<void> {
  const ground = new Ground();
  ground.scenario("hello", overProvider("hello"));
  await using provider = startBenchProvider();
  const flags = limits(TOGETHER);
  await using few = await ground.serve([...flags, "--state-dir", join(ground.path, "empty")], provider);
  await using many = await ground.serve(
    [...flags, "--state-dir", await filledState(ground, "hello", 100_000)],
    provider,
  );
  const servers = { few, many };
  const resident: Record<keyof typeof servers, number[]> = { few: [], many: [] };
  const rate = (name: keyof typeof servers) => async () => {
    const took = await timeTogether(SESSIONS, TOGETHER, () => run(servers[name], "hello"));
    // At once: the runtime gives memory back in the seconds after the work.
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
