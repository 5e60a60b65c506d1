import { join } from "node:path";
import type { Series } from "../src/domain/series.ts";
import type { SeriesListing } from "../src/domain/series-listing.ts";
import { forecast } from "../src/statistics/claim/forecast.ts";
import { until } from "../test/turns.ts";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { BenchDirectory, limits, overProvider, run, timeTogether } from "./program.ts";
import { startBenchProvider } from "./provider.ts";
import type { ServerProcess } from "./server-process.ts";

const TRIALS = 300;
const MANY = 1_000;
const TOGETHER = 8;
const PROVIDER_MS = 20;
const WARM_UP = 500;
const ROUNDS = 5;

/** Each look costs the server CPU time, which is measured. */
const LOOK_MS = 20;

/** A series beside the same sessions one by one, what many trials cost each of them, and what a reader waits for. */
export async function series(): Promise<void> {
  const dir = new BenchDirectory();
  dir.scenario("hello", overProvider("hello"));
  await running(dir);
  await many(dir);
  await forecasts();
}

async function running(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider({ tie: true });
  await using server = await dir.serve(["--state-dir", join(dir.path, "running"), ...limits(TOGETHER)], provider);
  const idle = server.resident_mib();
  await timeTogether(WARM_UP, TOGETHER, () => run(server, "hello"));
  provider.delay_ms = PROVIDER_MS;
  const cpu: Record<"loop" | "series", number[]> = { loop: [], series: [] };
  const timed = (name: keyof typeof cpu, work: () => Promise<unknown>) => async () => {
    const [began, before] = [performance.now(), server.cpu_ms()];
    await work();
    cpu[name].push((server.cpu_ms() - before) / TRIALS);
    return performance.now() - began;
  };
  const times = await inTurns(
    {
      loop: timed("loop", () => timeTogether(TRIALS, TOGETHER, () => run(server, "hello"))),
      series: timed("series", () => runSeries(server, TRIALS)),
    },
    ROUNDS,
  );
  const ratio = times.series.median / times.loop.median;
  const ideal = Math.ceil(TRIALS / TOGETHER) * 2 * PROVIDER_MS;
  report(`a series of ${TRIALS} trials, ${TOGETHER} at once, ${PROVIDER_MS} ms`, times.series, {
    unit: "ms",
    yardstick: `${round(ratio)} x the same sessions in a loop; ${round(times.series.median / ideal)} x ideal (${ideal} ms)`,
    goal: "<= 1.1 x",
    met: ratio <= 1.1,
  });
  const [own, loop] = [sampleOf(cpu.series), sampleOf(cpu.loop)];
  report("  CPU of a trial", own, {
    unit: "ms",
    yardstick: `${round(own.median - loop.median)} more than a session of the loop (${round(loop.median)} ms)`,
    goal: "<= 5 ms more",
    met: own.median - loop.median <= 5,
  });
  const resident = server.resident_mib();
  const yardstick = `${round(resident - idle)} over the server when it had started`;
  report("  memory", sampleOf([resident]), { unit: "MiB", yardstick, goal: "<= 300 MiB", met: resident <= 300 });
}

/** The longest series there is. */
async function many(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider({ tie: true });
  await using server = await dir.serve(["--state-dir", join(dir.path, "many"), ...limits(TOGETHER)], provider);
  await timeTogether(WARM_UP, TOGETHER, () => run(server, "hello"));
  const loop = await cpuOf(server, () => timeTogether(MANY, TOGETHER, () => run(server, "hello")));
  let series_id = "";
  const cpu = await cpuOf(server, async () => {
    series_id = await runSeries(server, MANY);
  });
  const more = (cpu - loop) / MANY;
  report(`CPU of a trial among ${MANY}`, sampleOf([cpu / MANY]), {
    unit: "ms",
    yardstick: `${round(more)} more than a session of a loop (${round(loop / MANY)} ms)`,
    goal: "<= 5 ms more",
    met: more <= 5,
  });
  const planned = await read(server, series_id);
  const comparison = planned.scenarios[0]?.comparison;
  for (const [name, id] of [
    [`a series of ${MANY} trials`, series_id],
    [`stored runs of a comparison, ${WARM_UP + 2 * MANY}`, `cmp-${comparison}`],
  ] as const) {
    await read(server, id);
    const { took } = await inTurns({ took: () => timed(() => read(server, id)) }, 15);
    const { trials } = await read(server, id);
    const [perThousand, yardstick] = [(1000 * took.median) / trials.length, "read, computed and sent, n=15"];
    report(name, took, { unit: "ms", yardstick, goal: "<= 20 ms for 1,000 trials", met: perThousand <= 20 });
  }
}

/** With arms that are nearly equal, so that all trials have to be looked at. */
async function forecasts(): Promise<void> {
  const standing = { counts: { wins: 20, ties: 10, losses: 18 }, uncertain: { undecided: 0, missing: 0 }, left: 300 };
  const pauses: number[] = [];
  const once = async () => {
    let [last, longest, over] = [performance.now(), 0, false];
    const beat = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (!over) setImmediate(beat);
    };
    beat();
    const took = await timed(() => forecast(standing, { alpha: 0.05, margin: 0.15 }));
    over = true;
    pauses.push(longest);
    return took;
  };
  await once();
  const { took } = await inTurns({ took: once }, 15);
  const [pause, goal] = [sampleOf(pauses.slice(1)), "<= 100 ms"];
  report("a forecast with 300 trials left", took, { unit: "ms", yardstick: "n=15", goal, met: took.median <= 100 });
  report("  longest pause of the event loop", pause, {
    unit: "ms",
    yardstick: "n=15",
    goal: "<= 50 ms",
    met: pause.max <= 50,
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function cpuOf(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  const before = server.cpu_ms();
  await work();
  return server.cpu_ms() - before;
}

/** Resolves when it has ended, with its id. */
async function runSeries(server: ServerProcess, trials: number): Promise<string> {
  const response = await fetch(new URL("/api/series", server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenarios: ["hello"], trials, parallel: TOGETHER }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { series_id } = (await response.json()) as { series_id: string };
  const ended = async () => {
    const listed = await fetch(new URL("/api/series?limit=1", server.url));
    const [newest] = (await listed.json()) as SeriesListing[];
    return newest?.series_id === series_id && newest.state !== "running" && newest;
  };
  const { standing } = await until(ended, 600_000, LOOK_MS);
  if (standing.counted !== trials) throw new Error(`${standing.counted} of ${trials} trials count`);
  return series_id;
}

async function read(server: ServerProcess, series_id: string): Promise<Series> {
  const response = await fetch(new URL(`/api/series/${series_id}`, server.url));
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Series;
}
