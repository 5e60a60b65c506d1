import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Clock } from "../../clock.ts";
import { breathe } from "../../pace.ts";
import { scratchDirectory } from "../scratch.ts";
import type { ExecResult, Sandbox, SandboxedCommand } from "../workspace.ts";
import { AnonymousFiles } from "./anonymous-file.ts";
import { CommandMemory } from "./command-memory.ts";
import { DiskWatch } from "./disk-watch.ts";
import { MAX_FILE_BYTES, TERM_GRACE_MS } from "./limits.ts";
import { printedText } from "./printed.ts";
import { isGone, processIds, processRow, signalGroup, signalProcess } from "./process-table.ts";
import { refusedScript } from "./refused-script.ts";
import { supervise } from "./supervise.ts";
import { bunShim } from "./toolchain.ts";

interface UnsandboxedSettings {
  /** PATH that commands get. */
  readonly path: string;
  /** Serves as `bun` where PATH has none. */
  readonly executable: string;
  readonly clock: Clock;
}

/**
 * Commands with everything this user may do. Only the environment is kept from them: it may hold provider keys.
 * Network policy cannot be held here.
 */
export class Unsandboxed implements Sandbox {
  readonly kind = "none";
  readonly owner = null;
  readonly #settings: UnsandboxedSettings;

  constructor(settings: UnsandboxedSettings) {
    this.#settings = settings;
  }

  async run(command: SandboxedCommand, signal: AbortSignal): Promise<ExecResult> {
    signal.throwIfAborted();
    const refused = refusedScript(command.run);
    if (refused) return refused;
    const home = scratchDirectory();
    using files = new AnonymousFiles();
    const output = files.appending(null);
    const disk = new DiskWatch(command.directory, command.disk);
    const child = Bun.spawn(["/bin/sh", "-c", LIMITED, command.run], {
      cwd: command.directory,
      env: this.#environment(home),
      stdio: ["ignore", output, output],
      detached: true,
    });
    const kill = () => terminate(child.pid, child.exited);
    try {
      const memory = new CommandMemory(null, child.pid);
      const tooMuchMemory = () => memory.isExhausted();
      const watched = { ...command, disk, child, output, kill, tooMuchMemory, clock: this.#settings.clock };
      const { ended, exit_code, duration_ms } = await supervise(watched, signal);
      const printed = printedText(output, command.max_output_bytes);
      return { ended, exit_code: ended === "exit" ? exit_code : null, ...printed, duration_ms };
    } finally {
      signalGroup(child.pid, "SIGKILL");
      await killMarked(home, this.#settings.clock);
      rmSync(home, { recursive: true, force: true });
    }
  }

  /** `home` serves for temporary files too: both last as long as the command. */
  #environment(home: string): Record<string, string> {
    const { path, executable } = this.#settings;
    const variables = { HOME: home, TMPDIR: home, LANG: "C.UTF-8", TERM: "dumb", CI: "1" };
    if (Bun.which("bun", { PATH: path })) return { ...variables, PATH: path };
    const tools = join(home, ".bin");
    mkdirSync(tools);
    writeFileSync(join(tools, "bun"), bunShim(executable), { mode: 0o755 });
    return { ...variables, PATH: `${tools}${delimiter}${path}` };
  }
}

/** POSIX counts file sizes in blocks of 512 bytes. A lower limit of the user's own stays. */
const LIMITED = `{ ulimit -f ${MAX_FILE_BYTES / 512}; ulimit -c 0; } 2>/dev/null; exec /bin/sh -c "$0"`;

function terminate(group: number, exited: Promise<number>): void {
  signalGroup(group, "SIGTERM");
  const insist = setTimeout(() => signalGroup(group, "SIGKILL"), TERM_GRACE_MS);
  void exited.finally(() => clearTimeout(insist));
}

/** Milliseconds for killed processes to be gone, and for one that was just starting another program to show whose it is. */
const DEATH_MS = 1_000;
const START_MS = 20;

/**
 * Ends what left the group by `setsid`: it still carries the home it was given, and no other process has that one.
 * Returns when it is gone, because the files are read next.
 */
async function killMarked(home: string, clock: Clock): Promise<void> {
  const mark = `HOME=${home}\0`;
  for (let waited_ms = 0, began = clock.ticks(); waited_ms < DEATH_MS; waited_ms = clock.ticks() - began) {
    const { marked, unclear } = await bearers(mark);
    for (const pid of marked) signalProcess(pid, "SIGKILL");
    if (marked.length === 0 && !(unclear && waited_ms < START_MS)) return;
    await Bun.sleep(1);
  }
}

/** Processes between two breaths of the event loop. */
const BATCH = 100;

/** Who carries the mark, and whether somebody cannot show yet. An environment can be large, so none is kept. */
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

/** Undefined for a process of another user, and for one that is gone. */
function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** In the middle of an exec a process has no arguments to show. The kernel's own, children of pid 2, never have any. */
function isStarting(pid: number): boolean {
  const parent = processRow(pid)?.parent;
  return parent !== undefined && parent !== 2 && pid !== 2 && !isGone(pid) && textAt(`/proc/${pid}/cmdline`) === "";
}
