import { chownSync } from "node:fs";
import { openSandbox } from "../src/arms/sandbox/open-sandbox.ts";
import type { Sandbox } from "../src/arms/sandbox/sandbox.ts";
import { inTurns, report, round } from "./measure.ts";
import { BenchDirectory } from "./program.ts";

const COMMANDS = 60;
const GOAL_MS = 20;

/** The time of one command (`sh -c true`) in bubblewrap and without a sandbox, beside a bare Bun.spawn. */
export async function sandbox(): Promise<void> {
  const dir = new BenchDirectory();
  const { path } = dir;
  const [bubblewrap, none] = [openSandbox("bubblewrap"), openSandbox("none")];
  if (bubblewrap.owner) chownSync(path, bubblewrap.owner.uid, bubblewrap.owner.gid);
  const spawn = () => Bun.spawn(["sh", "-c", "true"], { env: {}, stdio: ["ignore", "ignore", "ignore"] }).exited;
  const works = { spawn, bubblewrap: () => command(bubblewrap, path), none: () => command(none, path) };
  const times = await inTurns(
    { spawn: timed(works.spawn), bubblewrap: timed(works.bubblewrap), none: timed(works.none) },
    COMMANDS,
  );
  const yardstick = `bare Bun.spawn ${round(times.spawn.median)} ms, n=${COMMANDS}`;
  const goal = { unit: "ms", yardstick, goal: `<= ${GOAL_MS} ms` };
  report("one command in bubblewrap", times.bubblewrap, { ...goal, met: times.bubblewrap.median <= GOAL_MS });
  report("one command without a sandbox", times.none, { ...goal, met: times.none.median <= GOAL_MS });
}

async function command(sandbox: Sandbox, directory: string): Promise<void> {
  const limits = { timeout_ms: 10_000, max_output_bytes: 1_000, network: "none" } as const;
  const { exit_code } = await sandbox.run({ run: "true", directory, ...limits }, new AbortController().signal);
  if (exit_code !== 0) throw new Error(`exit code ${exit_code}`);
}

function timed(action: () => Promise<unknown>): () => Promise<number> {
  return async () => {
    const began = performance.now();
    await action();
    return performance.now() - began;
  };
}
