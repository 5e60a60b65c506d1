import { fstatSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, startTimer } from "../../../runtime/clock.ts";
import { MAX_PRINTED_BYTES } from "../limits.ts";
import type { ProcessEnd, SandboxedProcess } from "../sandbox.ts";
import type { DiskWatch } from "./disk-watch.ts";
import { findSharedSignal, killedFromOutside } from "./killed-from-outside.ts";
import { processTree, signalProcess, textAt } from "./process-table.ts";

interface Supervised {
  readonly pid: number;
  /** Its exit code. */
  readonly exited: Promise<number>;
  /** The file that it prints to; null: its output goes through pipes, and their reader counts. */
  readonly output: number | null;
  /** Made before the program began, which may remove its workspace at once. Disposed of here. */
  readonly disks: readonly DiskWatch[];
  readonly timeout_ms?: number | undefined;
  readonly clock: Clock;
  /** Whether the whole tree holds too much memory. */
  tooMuchMemory(): boolean | Promise<boolean>;
  /** What ended it from outside, where more than its exit code tells that. */
  foreignEnd?(): string | undefined;
  /** Ends the whole tree, sooner or later; called once. */
  kill(): void;
  signal(name: NodeJS.Signals): void;
  /** A process whose descendants are the whole tree; undefined before there is one. */
  root(): number | undefined;
}

export interface Supervision extends Pick<SandboxedProcess, "pause" | "resume"> {
  readonly ended: Promise<ProcessEnd>;
  /** @param full of `disk_limit`: what was full */
  stop(why: Stopped["ended"], full?: string): void;
  signal(name: NodeJS.Signals): void;
}

/** Why a program did not end by itself. */
interface Stopped {
  readonly ended: Exclude<ProcessEnd["ended"], "exit">;
  readonly full?: string;
}

const stoppedBy = (ended: Stopped["ended"], full?: string): Stopped => ({ ended, ...(full !== undefined && { full }) });

/** Waits for a program. Stops it at its time limit, when it takes too much, and when `signal` fires. */
export function supervise(program: Supervised, signal: AbortSignal): Supervision {
  let stopped: Stopped | undefined;
  // The number of a process that is over may belong to another one.
  let over = false;
  const stop: Supervision["stop"] = (ended, full) => {
    if (stopped || over) return;
    stopped = stoppedBy(ended, full);
    program.kill();
  };
  const end = () => {
    over = true;
  };
  void program.exited.then(end, end);
  const cancel = () => stop("killed");
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  const ended = watched(program, stop, () => stopped).finally(() => signal.removeEventListener("abort", cancel));
  const atRoot = async (act: (leader: number) => Promise<void>) => {
    const root = program.root();
    if (!over && root !== undefined) await act(root);
  };
  return {
    ...{ ended, stop },
    signal: (name) => over || program.signal(name),
    pause: () => atRoot(stopTree),
    resume: () => atRoot(continueTree),
  };
}

/** Milliseconds between two looks at a running command. */
const WATCH_INTERVAL_MS = 100;

async function watched(
  program: Supervised,
  stop: Supervision["stop"],
  stopped: () => Stopped | undefined,
): Promise<ProcessEnd> {
  const { clock, timeout_ms = Number.POSITIVE_INFINITY } = program;
  const began = clock.ticks();
  using _deadline = startTimer(clock, timeout_ms, () => stop("timeout"));
  let look: Promise<Stopped | undefined> | undefined;
  const watch = setInterval(() => {
    look ??= excess(program)
      .then((found) => {
        if (found) stop(found.ended, found.full);
        return found;
      }, ignored)
      .finally(() => {
        look = undefined;
      });
  }, WATCH_INTERVAL_MS);
  try {
    const exit_code = await program.exited;
    // Disposal would end a look that is under way.
    const found = stopped() ?? (await look) ?? (await excess(program, true));
    const foreign = found ? undefined : (program.foreignEnd?.() ?? (await findSharedSignal(exit_code)));
    if (foreign !== undefined) throw killedFromOutside(foreign);
    return { ...(found ?? { ended: "exit" }), exit_code: found ? null : exit_code, duration_ms: clock.ticks() - began };
  } finally {
    clearInterval(watch);
    for (const disk of program.disks) disk[Symbol.dispose]();
    // The caller closes the files that a look reads.
    await look;
  }
}

/** A look at a program that just ends may find nothing. The next look or the end tells what there is to tell. */
const ignored = () => undefined;

/** What a program takes too much of, or took when it has ended. */
async function excess({ output, tooMuchMemory, disks }: Supervised, ended = false): Promise<Stopped | undefined> {
  if (output !== null && fstatSync(output).size > MAX_PRINTED_BYTES) return stoppedBy("output_limit");
  if (await tooMuchMemory()) return stoppedBy("memory_limit");
  for (const disk of disks) {
    const full = await disk.exhausted(ended);
    if (full !== null) return stoppedBy("disk_limit", full);
  }
  return undefined;
}

/** Looks at a tree that does not come to rest, one a millisecond. A write to a slow disk ends before it. */
const MAX_LOOKS = 2_000;

/**
 * Stops `leader` and everything that descends from it, whatever its process group. Returns when no thread of it runs.
 * @throws when something goes on running
 */
async function stopTree(leader: number): Promise<void> {
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
async function continueTree(leader: number): Promise<void> {
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
