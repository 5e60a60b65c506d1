import { join } from "node:path";
import type { SessionOutcome } from "../src/domain/session.ts";
import { inTurns, report, round, sampleOf, timeProcess } from "./measure.ts";
import { ABEVAL, BenchDirectory, overProvider, scripted, storedSession } from "./program.ts";
import { startBenchProvider } from "./provider.ts";

const ROUNDS = 15;
const PROVIDER_MS = 200;

/** One `abeval run`: without a provider, with one that answers at once, and with one that takes its time. */
export async function session(): Promise<void> {
  const dir = new BenchDirectory();
  await withoutProvider(dir);
  await atOnce(dir);
  for (const calls of [1, 4]) await slowProvider(dir, calls);
}

async function withoutProvider(dir: BenchDirectory): Promise<void> {
  const file = dir.scenario("scripted", scripted("scripted"));
  const figures = [];
  for (let n = 0; n < ROUNDS; n += 1) figures.push(await timeProcess([ABEVAL, "run", file, "--quiet"]));
  const failed = figures.filter(({ status }) => status !== 0).length;
  if (failed > 0) throw new Error(`${failed} of ${ROUNDS} scripted sessions failed`);
  const [ms, mib] = [sampleOf(figures.map((figure) => figure.ms)), sampleOf(figures.map((figure) => figure.peak_mib))];
  const yardstick = `whole process, n=${ROUNDS}`;
  report("scripted session without commands", ms, { unit: "ms", yardstick, goal: "<= 100 ms", met: ms.median <= 100 });
  report("  its peak memory", mib, { unit: "MiB", yardstick, goal: "<= 64 MiB", met: mib.median <= 64 });
}

/** Beside a compiled program that makes the same four calls and nothing else. */
async function atOnce(dir: BenchDirectory): Promise<void> {
  await using provider = startBenchProvider();
  const file = dir.scenario("hello", overProvider("hello"));
  const [source, loop] = [join(import.meta.dir, "yardstick/bare-run.ts"), join(dir.path, "bare-run")];
  await Bun.$`bun build --compile --minify --bytecode --format=esm ${source} --outfile ${loop}`.quiet();
  const took = async (command: readonly string[]) => (await timeProcess(command, provider.environment)).ms;
  const works = { loop: () => took([loop]), ours: () => took([ABEVAL, "run", file, "--quiet"]) };
  const { loop: bare, ours } = await inTurns(works, ROUNDS);
  const ratio = ours.median / bare.median;
  const yardstick = `${round(ratio)} x a bare loop of its calls (${round(bare.median)} ms), n=${ROUNDS}`;
  report("one run, provider 0 ms", ours, { unit: "ms", yardstick, goal: "<= 100 ms", met: ours.median <= 100 });
}

/**
 * Arms that make `calls` provider calls each. The critical path is an arm's calls and one judge round at the provider's own
 * pace. Beside the session stand the whole process, and what the session adds to its own calls.
 */
async function slowProvider(dir: BenchDirectory, calls: number): Promise<void> {
  const limit = calls === 1 ? 1.06 : 1.03;
  await using provider = startBenchProvider({ delay_ms: PROVIDER_MS, turns: calls });
  const file = dir.scenario("slow", overProvider("slow", "[list_files]"));
  const nominal = (calls + 1) * PROVIDER_MS;
  const [processes, sessions, ratios]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < ROUNDS; n += 1) {
    const state = join(dir.path, `state-${calls}-${n}`);
    processes.push(
      (await timeProcess([ABEVAL, "run", file, "--quiet", "--state-dir", state], provider.environment)).ms,
    );
    const session = await storedSession(state);
    const wall = session.totals.wall_ms ?? Number.NaN;
    sessions.push(wall);
    ratios.push(wall / criticalPath(session));
  }
  const name = `${calls} call(s) an arm at ${PROVIDER_MS} ms`;
  const ratio = sampleOf(ratios);
  const [session, whole] = [sampleOf(sessions), sampleOf(processes)];
  const pace = (sample: { median: number }) => `${round(sample.median / nominal)} x the critical path (${nominal} ms)`;
  const met = session.median / nominal <= limit;
  report(`${name}, session`, session, { unit: "ms", yardstick: pace(session), goal: `<= ${limit} x`, met });
  report("  whole process", whole, { unit: "ms", yardstick: pace(whole) });
  report("  session over its own calls", ratio, {
    unit: "x",
    yardstick: "its longest arm's calls and one judge round",
  });
}

function criticalPath({ decisions, verdict }: SessionOutcome): number {
  const turns = Object.values(decisions).map((log) => log.filter(({ kind }) => kind === "model_turn"));
  const arms = turns.map((log) => log.reduce((sum, { latency_ms }) => sum + latency_ms, 0));
  return Math.max(...arms) + Math.max(...(verdict?.calls ?? []).map(({ latency_ms }) => latency_ms));
}
