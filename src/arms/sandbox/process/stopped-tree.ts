import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processTree, signalProcess, textAt } from "./process-table.ts";

/** Looks at a tree that does not come to rest, one a millisecond. A write to a slow disk ends before it. */
const MAX_LOOKS = 2_000;

/**
 * Stops `leader` and everything that descends from it, whatever its process group. Returns when no thread of it runs.
 * @throws when something goes on running
 */
export async function stopTree(leader: number): Promise<void> {
  // A look may miss a child that was made while it went on. A second one, at a tree that stood still, misses none.
  for (let looks = 0, still = 0; looks < MAX_LOOKS; looks += 1) {
    const running = (await processTree(leader)).filter(({ pid }) => isRunning(pid));
    still = running.length === 0 ? still + 1 : 0;
    if (still === 2) return;
    for (const { pid } of running) signalProcess(pid, "SIGSTOP");
    if (running.length > 0) await sleep(1);
  }
  throw new Error(`processes below ${leader} cannot be stopped`);
}

/** Lets a stopped tree go on. */
export async function continueTree(leader: number): Promise<void> {
  for (const { pid } of await processTree(leader)) signalProcess(pid, "SIGCONT");
}

/** Any thread of it. The first one may have ended before the others. */
const isRunning = (pid: number): boolean => threadsOf(pid).some((thread) => !RESTS.includes(stateOf(pid, thread)));

/** Stopped, traced, and two kinds of ended; "" for a thread that is gone. */
const RESTS = ["T", "t", "Z", "X", ""];

function stateOf(pid: number, thread: string): string {
  const text = textAt(`/proc/${pid}/task/${thread}/stat`) ?? "";
  const end = text.lastIndexOf(")");
  return end === -1 ? "" : text.charAt(end + 2);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}
