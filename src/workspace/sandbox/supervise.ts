import { fstatSync } from "node:fs";
import type { Clock } from "../../clock.ts";
import type { ExecResult } from "../workspace.ts";
import { DiskWatch } from "./disk-watch.ts";
import { MAX_PRINTED_BYTES, MAX_TREE_BYTES, WATCH_INTERVAL_MS } from "./limits.ts";
import { processTree } from "./process-table.ts";

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Supervised {
  readonly child: { readonly pid: number; readonly exited: Promise<number> };
  /** Where the command prints. */
  readonly output: number;
  /** Its workspace. */
  readonly directory: string;
  readonly timeout_ms: number;
  readonly clock: Clock;
  /** Resident memory of the whole tree; default `MAX_TREE_BYTES`. */
  readonly max_tree_bytes?: number;
  /** Ends the whole tree, sooner or later; called once. */
  kill(): void;
}

export interface Ending {
  readonly ended: ExecResult["ended"];
  readonly exit_code: number;
  readonly duration_ms: number;
}

/** Waits for a command, and stops it at its time limit or when it takes too much. @throws `signal.reason` when it fires. */
export async function supervise(command: Supervised, signal: AbortSignal): Promise<Ending> {
  const { child, clock } = command;
  const began = clock.ticks();
  let stopped: Exclude<ExecResult["ended"], "exit"> | undefined;
  const stop = (why?: typeof stopped) => {
    if (stopped) return;
    stopped = why;
    command.kill();
  };
  const cancel = () => stop();
  const deadline = setTimeout(() => stop("timeout"), Math.min(command.timeout_ms, LONGEST_TIMER_MS));
  const disk = new DiskWatch(command.directory);
  const watch = setInterval(() => {
    const limit = excess(command, disk);
    if (limit) stop(limit);
  }, WATCH_INTERVAL_MS);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  try {
    const exit_code = await child.exited;
    if (signal.aborted) throw signal.reason;
    const ended = stopped ?? (fstatSync(command.output).size > MAX_PRINTED_BYTES ? "output_limit" : "exit");
    return { ended, exit_code, duration_ms: clock.ticks() - began };
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
    signal.removeEventListener("abort", cancel);
  }
}

function excess(
  { child, output, max_tree_bytes = MAX_TREE_BYTES }: Supervised,
  disk: DiskWatch,
): Exclude<ExecResult["ended"], "exit"> | undefined {
  if (fstatSync(output).size > MAX_PRINTED_BYTES) return "output_limit";
  const resident = processTree(child.pid).reduce((sum, row) => sum + row.resident_bytes, 0);
  if (resident > max_tree_bytes) return "memory_limit";
  return disk.isExhausted() ? "disk_limit" : undefined;
}
