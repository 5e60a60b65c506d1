import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionOutcome } from "../src/domain/session.ts";
import { inTurns, report, round, sampleOf, timeProcess } from "./measure.ts";
import { startBenchProvider } from "./provider.ts";

/** One run of the compiled program: start, a session without commands, and sessions with a slow provider. */
const ABEVAL = join(import.meta.dir, "../dist/abeval");
const ROUNDS = 15;
const PROVIDER_MS = 200;

const directory = mkdtempSync(join(tmpdir(), "abeval-bench-"));
try {
  await startTimes();
  await scriptedSession();
  for (const calls of [1, 4]) await slowProvider(calls);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function startTimes(): Promise<void> {
  const source = join(directory, "empty.ts");
  const empty = join(directory, "empty");
  writeFileSync(source, "");
  await Bun.$`bun build --compile --minify --bytecode --format=esm ${source} --outfile ${empty}`.quiet();
  const took = async (command: readonly string[]) => (await timeProcess(command)).ms;
  const times = await inTurns(
    { empty: () => took([empty]), version: () => took([ABEVAL, "--version"]), help: () => took([ABEVAL, "--help"]) },
    ROUNDS * 2,
  );
  for (const name of ["version", "help"] as const) {
    const ratio = times[name].median / times.empty.median;
    const yardstick = `${round(ratio)} x an empty program (${round(times.empty.median)} ms)`;
    report(`--${name}`, times[name], { unit: "ms", yardstick, goal: "<= 1.5 x", met: ratio <= 1.5 });
  }
}

function scenario(name: string, arms: readonly string[], judge: string): string {
  const rubric = `rubric: {criteria: [{question: Was it kind?}, {measure: turns}], judge: {model: ${judge}}}`;
  return [`name: ${name}`, "task: {prompt: Say hello.}", "arms:", ...arms, rubric, ""].join("\n");
}

async function scriptedSession(): Promise<void> {
  const file = join(directory, "hello.yaml");
  const arm = (id: string) => `  - {id: ${id}, model: scripted/${id}, system_prompt: ${id}, script: [{say: Hello.}]}`;
  writeFileSync(file, scenario("hello", [arm("one"), arm("two")], "builtin/evidence"));
  const figures = [];
  for (let n = 0; n < ROUNDS; n += 1) figures.push(await timeProcess([ABEVAL, "run", file, "--quiet"]));
  const failed = figures.filter(({ status }) => status !== 0).length;
  if (failed > 0) throw new Error(`${failed} of ${ROUNDS} scripted sessions failed`);
  const [ms, mib] = [sampleOf(figures.map((figure) => figure.ms)), sampleOf(figures.map((figure) => figure.peak_mib))];
  const yardstick = "whole process";
  report("scripted session without commands", ms, { unit: "ms", yardstick, goal: "< 60 ms", met: ms.median < 60 });
  report("  its peak memory", mib, { unit: "MiB", yardstick, goal: "<= 60 MiB", met: mib.median <= 60 });
}

/**
 * Arms that make `calls` provider calls each; the critical path is those and one judge round, at the provider's own pace, so
 * that what a call costs us counts. Beside the session stand the whole process, and what the session adds to its own calls.
 */
async function slowProvider(calls: number): Promise<void> {
  const limit = calls === 1 ? 1.06 : 1.03;
  await using provider = startBenchProvider({ delay_ms: PROVIDER_MS, turns: calls });
  const file = join(directory, "slow.yaml");
  const arm = (id: string) => `  - {id: ${id}, model: openai/m, system_prompt: ${id}, tools: [list_files]}`;
  writeFileSync(file, scenario("slow", [arm("one"), arm("two")], "openai/judge"));
  const nominal = (calls + 1) * PROVIDER_MS;
  const [processes, sessions, ratios]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < ROUNDS; n += 1) {
    const state = join(directory, `state-${calls}-${n}`);
    processes.push(
      (await timeProcess([ABEVAL, "run", file, "--quiet", "--state-dir", state], provider.environment)).ms,
    );
    const session = await readSession(state);
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

async function readSession(state: string): Promise<SessionOutcome> {
  const [name = ""] = readdirSync(join(state, "sessions"));
  return await Bun.file(join(state, "sessions", name)).json();
}

function criticalPath({ decisions, verdict }: SessionOutcome): number {
  const turns = Object.values(decisions).map((log) => log.filter(({ kind }) => kind === "model_turn"));
  const arms = turns.map((log) => log.reduce((sum, { latency_ms }) => sum + latency_ms, 0));
  return Math.max(...arms) + Math.max(...(verdict?.calls ?? []).map(({ latency_ms }) => latency_ms));
}
