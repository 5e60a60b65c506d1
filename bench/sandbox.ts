import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSandbox } from "../src/workspace/open-sandbox.ts";
import type { Sandbox } from "../src/workspace/workspace.ts";
import { inTurns, report, round } from "./measure.ts";

/** What one command costs (`sh -c true`): in bubblewrap and without a sandbox, beside a bare Bun.spawn. */
const COMMANDS = 60;
const GOAL_MS = 20;

const directory = mkdtempSync(join(tmpdir(), "abeval-bench-"));
const bubblewrap = openSandbox("bubblewrap");
const none = openSandbox("none");
if (bubblewrap.owner) chownSync(directory, bubblewrap.owner.uid, bubblewrap.owner.gid);
try {
  const spawn = () => Bun.spawn(["sh", "-c", "true"], { env: {}, stdio: ["ignore", "ignore", "ignore"] }).exited;
  const works = { spawn, bubblewrap: () => command(bubblewrap), none: () => command(none) };
  const times = await inTurns(
    { spawn: timed(works.spawn), bubblewrap: timed(works.bubblewrap), none: timed(works.none) },
    COMMANDS,
  );
  const yardstick = `bare Bun.spawn ${round(times.spawn.median)} ms, n=${COMMANDS}`;
  const goal = { unit: "ms", yardstick, goal: `<= ${GOAL_MS} ms` };
  report("one command in bubblewrap", times.bubblewrap, { ...goal, met: times.bubblewrap.median <= GOAL_MS });
  report("one command without a sandbox", times.none, { ...goal, met: times.none.median <= GOAL_MS });
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function command(sandbox: Sandbox): Promise<void> {
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
