import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../runtime/clock.ts";
import { exitOf } from "../../runtime/exit-of.ts";
import { findProgram } from "../../runtime/find-program.ts";
import { breathe } from "../../runtime/pace.ts";
import { COMMAND_LIMITS, type ProgramLimits } from "./limits.ts";
import { CommandMemory } from "./process/command-memory.ts";
import { disksOf } from "./process/disk-watch.ts";
import { isGone, processIds, processRow, signalGroup, signalProcess, textAt } from "./process/process-table.ts";
import { kept, type Launch, Launcher, type Started } from "./process/started.ts";
import { supervise } from "./process/supervise.ts";
import type { Scratch } from "./sandbox.ts";
import { makeTempDir } from "./temp-dir.ts";
import { bunShim } from "./toolchain.ts";

interface NoSandboxSettings {
  /** PATH that commands get. */
  readonly path: string;
  /** Serves as `bun` where PATH has none; null: there is none. */
  readonly executable: string | null;
  readonly clock: Clock;
}

/**
 * Commands that may do whatever this user may do. Only the environment is kept from them, because it may hold provider
 * keys. A network policy cannot be held here.
 */
export class NoSandbox extends Launcher {
  readonly kind = "none";
  readonly owner = null;
  readonly #settings: NoSandboxSettings;

  constructor(settings: NoSandboxSettings) {
    super();
    this.#settings = settings;
  }

  async launch(launch: Launch, signal: AbortSignal): Promise<Started> {
    const { argv, output, directory, environment, scratch, timeout_ms, limits = COMMAND_LIMITS } = launch;
    const { clock } = this.#settings;
    const disks = disksOf(launch);
    const room = scratch ?? ownRoom();
    const { home } = room;
    const child = spawn("/bin/sh", ["-c", limited(limits), "sh", ...argv], {
      cwd: directory,
      env: this.#environment(room, environment),
      stdio: output === null ? "pipe" : ["ignore", output, output],
      detached: true,
    });
    child.stdin?.on("error", goneMeanwhile);
    const { stdin, stdout, stderr } = child;
    const pipes = stdin && stdout && stderr && { stdin, stdout: kept(stdout), stderr: kept(stderr) };
    const exited = exitOf(child);
    // A child without a pid never started, and waiting for its end throws why.
    const pid = child.pid ?? (await exited.finally(() => remove(room)));
    const memory = new CommandMemory(null, pid, limits.tree_bytes);
    const supervision = supervise(
      {
        ...{ pid, exited, output, disks, timeout_ms, clock },
        tooMuchMemory: () => memory.isExhausted(),
        kill: () => terminate(pid, exited),
        signal: (name) => signalGroup(pid, name),
        root: () => pid,
      },
      signal,
    );
    const ended = supervision.ended.finally(async () => {
      signalGroup(pid, "SIGKILL");
      await killMarked(home, clock);
      remove(room);
    });
    return { ...supervision, ended, pipes };
  }

  #environment({ home, tmp }: Room, given: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { path, executable } = this.#settings;
    const variables = { LANG: "C.UTF-8", TERM: "dumb", CI: "1", PATH: path, ...given, HOME: home, TMPDIR: tmp };
    if (executable === null || findProgram("bun", path)) return variables;
    const tools = join(home, ".bin");
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, "bun"), bunShim(executable), { mode: 0o755 });
    return { ...variables, PATH: `${tools}${delimiter}${variables.PATH}` };
  }
}

/** Where a program keeps what it does not leave in its directory. */
interface Room extends Pick<Scratch, "home" | "tmp"> {
  /** Removed with the program; absent when others share it. */
  readonly own?: true;
}

function ownRoom(): Room {
  const home = makeTempDir();
  return { home, tmp: home, own: true };
}

function remove({ home, own }: Room): void {
  if (own) rmSync(home, { recursive: true, force: true });
}

/** An input that is closed says no more than the end of its program. */
const goneMeanwhile = () => undefined;

/** POSIX counts file sizes in blocks of 512 bytes. A lower limit of the user stays. */
const limited = ({ file_bytes }: ProgramLimits) =>
  `{ ulimit -f ${file_bytes / 512}; ulimit -c 0; } 2>/dev/null; exec "$@"`;

/** Milliseconds between SIGTERM and SIGKILL where there is no process namespace. */
const TERM_GRACE_MS = 2_000;

function terminate(group: number, exited: Promise<number>): void {
  signalGroup(group, "SIGTERM");
  const insist = setTimeout(() => signalGroup(group, "SIGKILL"), TERM_GRACE_MS);
  void exited.finally(() => clearTimeout(insist));
}

/** Milliseconds until killed processes are gone, and until one that starts another program shows its environment. */
const DEATH_MS = 1_000;
const START_MS = 20;

/**
 * Ends what left the group by `setsid`: it still has the HOME that it was given, and no other process has that one.
 * Returns when it is gone, because the files are read next.
 */
async function killMarked(home: string, clock: Clock): Promise<void> {
  const mark = `HOME=${home}\0`;
  for (let waited_ms = 0, began = clock.ticks(); waited_ms < DEATH_MS; waited_ms = clock.ticks() - began) {
    const { marked, unclear } = await bearers(mark);
    for (const pid of marked) signalProcess(pid, "SIGKILL");
    if (marked.length === 0 && !(unclear && waited_ms < START_MS)) return;
    await sleep(1);
  }
}

/** Processes between two breaths of the event loop. */
const BATCH = 100;

/** Processes whose environment holds the mark, and whether one cannot show its own yet. It can be large: none is kept. */
async function bearers(mark: string): Promise<{ readonly marked: readonly number[]; readonly unclear: boolean }> {
  const marked: number[] = [];
  let unclear = false;
  for (const [index, pid] of (await processIds()).entries()) {
    if (index % BATCH === BATCH - 1) await breathe();
    const environment = textAt(`/proc/${pid}/environ`);
    if (environment?.includes(mark)) marked.push(pid);
    unclear ||= environment === "" && isStarting(pid);
  }
  return { marked, unclear };
}

/** A process that is in the middle of an exec shows no arguments. The kernel's own, children of pid 2, never have any. */
function isStarting(pid: number): boolean {
  const parent = processRow(pid)?.parent;
  return parent !== undefined && parent !== 2 && pid !== 2 && !isGone(pid) && textAt(`/proc/${pid}/cmdline`) === "";
}
