import { join } from "node:path";
import { filledState } from "./filled-state.ts";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { BenchDirectory, overProvider } from "./program.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { timeGets } from "./sockets.ts";

/** What the service answers without running anything. */
export async function requests(): Promise<void> {
  const dir = new BenchDirectory();
  dir.scenario("hello", overProvider("hello"));
  await ready(dir);
  await health(dir);
  await list(dir);
}

async function ready(dir: BenchDirectory): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < 15; n += 1) {
    const began = performance.now();
    await using server = await dir.serve();
    await fetch(new URL("/api/health", server.url));
    times.push(performance.now() - began);
  }
  const figure = sampleOf(times);
  report("ready: spawn to the first 200", figure, {
    unit: "ms",
    yardstick: "whole process, n=15",
    goal: "<= 40 ms",
    met: figure.median <= 40,
  });
}

async function health(dir: BenchDirectory): Promise<void> {
  const count = 40_000;
  await using ours = await dir.serve();
  await using bare = await startServer([process.execPath, join(import.meta.dir, "yardstick/bare-elysia.ts")]);
  const perSecond = async ({ url }: ServerProcess) => (count / (await timeGets(url, "/api/health", count))) * 1000;
  await perSecond(ours);
  await perSecond(bare);
  const rates = await inTurns({ ours: () => perSecond(ours), bare: () => perSecond(bare) }, 7);
  const ratio = rates.ours.median / rates.bare.median;
  report("GET /api/health", rates.ours, {
    unit: "a second",
    yardstick: `${round(ratio)} x bare Elysia (${round(rates.bare.median)} a second)`,
  });
}

async function list(dir: BenchDirectory): Promise<void> {
  const count = 200;
  await using few = await dir.serve(["--state-dir", await filledState(dir, "hello", 1_000)]);
  await using many = await dir.serve(["--state-dir", await filledState(dir, "hello", 100_000)]);
  const each = async ({ url }: ServerProcess) => (await timeGets(url, "/api/sessions?limit=50", count, 1)) / count;
  await each(few);
  await each(many);
  const times = await inTurns({ few: () => each(few), many: () => each(many) }, 7);
  const ratio = times.many.median / times.few.median;
  report("newest 50 of 100,000 sessions", times.many, {
    unit: "ms",
    yardstick: `${round(ratio)} x of 1,000 (${round(times.few.median)} ms)`,
    goal: "flat (<= 1.2 x)",
    met: ratio <= 1.2,
  });
}
