import { fstatSync } from "node:fs";
import type { Clock } from "../../clock.ts";
import type { ExecResult } from "../workspace.ts";
import type { DiskWatch } from "./disk-watch.ts";
import { MAX_PRINTED_BYTES, WATCH_INTERVAL_MS } from "./limits.ts";

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Supervised {
  readonly child: { readonly pid: number; readonly exited: Promise<number> };
  /** Where the command prints. */
  readonly output: number;
  /** Made before the command began, which may take its workspace away at once; disposed of here. */
  readonly disk: DiskWatch;
  readonly timeout_ms: number;
  readonly clock: Clock;
  /** Whether the whole tree holds too much memory. */
  tooMuchMemory(): boolean | Promise<boolean>;
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
  let look: Promise<void> | undefined;
  const watch = setInterval(() => {
    look ??= excess(command)
      .then((limit) => limit && stop(limit), ignored)
      .finally(() => {
        look = undefined;
      });
  }, WATCH_INTERVAL_MS);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  try {
    const exit_code = await child.exited;
    if (signal.aborted) throw signal.reason;
    // A look that is on its way knows nothing newer of the disk.
    const limit = stopped ?? (await (look ? excessAtEnd(command) : excess(command)));
    const ended = limit ?? "exit";
    return { ended, exit_code, duration_ms: clock.ticks() - began };
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
    command.disk[Symbol.dispose]();
    // Whoever called closes the files that it looks at.
    await look;
    signal.removeEventListener("abort", cancel);
  }
}

/** A look at what is just going away finds nothing; the next one does, or the end. */
const ignored = () => undefined;

type Limit = Exclude<ExecResult["ended"], "exit" | "timeout">;

/** What a command that runs takes too much of. */
async function excess(command: Supervised): Promise<Limit | undefined> {
  const limit = await excessAtEnd(command);
  return limit ?? ((await command.disk.isExhausted()) ? "disk_limit" : undefined);
}

/** What can still be seen when it has ended. */
async function excessAtEnd(command: Supervised): Promise<Limit | undefined> {
  if (fstatSync(command.output).size > MAX_PRINTED_BYTES) return "output_limit";
  return (await command.tooMuchMemory()) ? "memory_limit" : undefined;
}
