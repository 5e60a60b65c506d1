import type { Clock } from "../../clock.ts";
import { Failure } from "../../domain/failure.ts";
import type { ExecResult, Sandbox, SandboxedCommand } from "../workspace.ts";
import { AnonymousFiles } from "./anonymous-file.ts";
import { bubblewrapArguments, limited } from "./bubblewrap-arguments.ts";
import { CommandMemory } from "./command-memory.ts";
import { DiskWatch } from "./disk-watch.ts";
import { NOT_INSTALLED, readFault, sandboxUnavailable } from "./fault.ts";
import type { MemoryGroups } from "./memory-group.ts";
import type { OwnNetwork } from "./own-network.ts";
import { printedText } from "./printed.ts";
import { isGone, signalGroup, signalProcess } from "./process-table.ts";
import { refusedScript } from "./refused-script.ts";
import { supervise } from "./supervise.ts";
import type { Toolchain } from "./toolchain.ts";

interface BubblewrapSettings {
  /** Absolute path of bwrap. */
  readonly program: string;
  readonly version: string;
  readonly owner: Sandbox["owner"];
  readonly toolchain: Toolchain;
  readonly filter: Uint8Array;
  /** Counts memory for the kernel to limit; null: resident memory is looked at, and `filter` refuses what that misses. */
  readonly memory: MemoryGroups | null;
  /** What an open network is; absent: the one of this machine. */
  readonly own_network?: OwnNetwork;
  readonly clock: Clock;
}

/** Commands in namespaces of their own: no network unless asked, no foreign file or process, nothing outlives them. */
export class BubblewrapSandbox implements Sandbox {
  readonly kind = "bubblewrap";
  readonly owner: Sandbox["owner"];
  readonly version: string;
  readonly #settings: BubblewrapSettings;
  #sound = true;

  constructor(settings: BubblewrapSettings) {
    this.owner = settings.owner;
    this.version = settings.version;
    this.#settings = settings;
  }

  /** False once a command could not be started in it. */
  get sound(): boolean {
    return this.#sound;
  }

  /** The same, but that a command with an open network gets one of its own. */
  withNetwork(own_network: OwnNetwork): BubblewrapSandbox {
    return new BubblewrapSandbox({ ...this.#settings, own_network });
  }

  async run(command: SandboxedCommand, signal: AbortSignal): Promise<ExecResult> {
    signal.throwIfAborted();
    const refused = refusedScript(command.run);
    if (refused) return refused;
    try {
      return await this.#begun(command, signal);
    } catch (error) {
      if (error instanceof Failure) this.#sound = false;
      throw error;
    }
  }

  /** What passes is tried again: the other arm may have filled this user's share of processes. */
  async #begun(command: SandboxedCommand, signal: AbortSignal, delays_ms = RETRY_DELAYS_MS): Promise<ExecResult> {
    const attempt = await this.#supervised(command, signal);
    if ("ended" in attempt) return attempt;
    const [delay_ms, ...later_ms] = delays_ms;
    if (delay_ms === undefined || !PASSING.test(attempt.said)) throw sandboxUnavailable(readFault(attempt.said));
    await Bun.sleep(delay_ms);
    signal.throwIfAborted();
    return await this.#begun(command, signal, later_ms);
  }

  async #supervised(command: SandboxedCommand, signal: AbortSignal): Promise<ExecResult | NotBegun> {
    using files = new AnonymousFiles();
    using helpers = new DisposableStack();
    const network = command.network === "open" ? this.#settings.own_network : undefined;
    const disk = new DiskWatch(command.directory, command.disk);
    const started = this.#start(command, network, files);
    if ("said" in started) return started;
    const { child, output, status } = started;
    await using memory = new CommandMemory(this.#settings.memory, child.pid);
    let begun = false;
    let fault: string | undefined;
    // The group in one stroke: a first process that waits to be set up is in it, one that was has told its number.
    const kill = () => signalGroup(child.pid, "SIGKILL");
    const connect = async ({ attach }: OwnNetwork) => {
      if (helpers.disposed) return;
      const said = await helpers.use(attach(child.pid)).ended;
      if (begun) return;
      fault = said.trim() || SILENT_HELPER;
      kill();
    };
    void openGate(child, {
      connect: network && (() => void connect(network)),
      enter: () => {
        begun = true;
        memory.enter(readStatus(status).child_pid);
      },
    });
    const tooMuchMemory = () => memory.isExhausted();
    const watched = { ...command, disk, child, output, kill, tooMuchMemory, clock: this.#settings.clock };
    try {
      const { ended, duration_ms } = await supervise(watched, signal);
      const { exit_code } = readStatus(status);
      const printed = printedText(output, command.max_output_bytes);
      if (ended !== "exit") return { ended, exit_code: null, ...printed, duration_ms };
      // Whatever becomes of a sandbox in which the command runs, the command has done it.
      return begun
        ? { ended, exit_code: exit_code ?? KILLED, ...printed, duration_ms }
        : { said: fault ?? printed.output };
    } finally {
      await isOver(readStatus(status).child_pid);
    }
  }

  #start(command: SandboxedCommand, own: OwnNetwork | undefined, files: AnonymousFiles) {
    const { program, version, owner, toolchain, filter } = this.#settings;
    const output = files.appending(owner);
    const status = files.appending(null);
    const descriptors = [status];
    const attach = (content: string | Uint8Array) => FIRST_DESCRIPTOR + descriptors.push(files.holding(content)) - 1;
    const list = bubblewrapArguments({
      ...{ directory: command.directory, toolchain, filter, attach },
      network: own ?? (command.network === "none" ? "none" : "host"),
      disableUserns: supportsDisableUserns(version),
      statusDescriptor: FIRST_DESCRIPTOR,
    });
    const argumentsDescriptor = attach(list.map((argument) => `${argument}\0`).join(""));
    const contained = [program, "--args", String(argumentsDescriptor), "--", ...limited(command.run)];
    const child = spawned([...(own?.around(contained) ?? contained)], {
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", output, ...descriptors],
      detached: true,
      ...owner,
    });
    return "said" in child ? child : { child, output, status };
  }
}

/** Nothing of the command ran. */
interface NotBegun {
  /** Why, in the words of what should have started it. */
  readonly said: string;
}

/** Milliseconds until another try. */
const RETRY_DELAYS_MS: readonly number[] = [50, 200, 800, 3_200];

/** Faults that pass when other processes have ended. */
const PASSING = /temporarily unavailable|EAGAIN|Cannot allocate memory|ENOMEM|Too many open files/;

const SILENT_HELPER = "it ended at once and said nothing";

/** As a shell tells of a program that was ended by SIGKILL. */
const KILLED = 137;

/** Came with 0.8. */
function supportsDisableUserns(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 0 || minor >= 8;
}

/** After stdin, stdout and stderr. */
const FIRST_DESCRIPTOR = 3;

type Gated = Bun.Subprocess<"pipe", "pipe", number>;

/** @throws Failure `sandbox_unavailable` when there is no such program. */
function spawned(command: string[], options: Bun.SpawnOptions.OptionsObject<"pipe", "pipe", number>): Gated | NotBegun {
  try {
    return Bun.spawn(command, options);
  } catch (error) {
    // node's own errors carry a code
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw sandboxUnavailable(NOT_INSTALLED);
    return { said: message };
  }
}

interface Passage {
  /** Gives a network of its own its way out: a command that has one says first that it is there. */
  readonly connect: (() => void) | undefined;
  /** Before the command begins. */
  enter(): void;
}

/**
 * Answers the command that waits behind its gate. One that never came to it is over, and its exit tells why.
 */
async function openGate({ stdin, stdout }: Gated, { connect, enter }: Passage): Promise<void> {
  const reader = stdout.getReader();
  try {
    if (connect && !(await reader.read()).done) connect();
    const { done } = await reader.read();
    if (!done) {
      enter();
      stdin.write("\n");
    }
    await Promise.all([stdin.end(), reader.cancel()]);
  } catch {
    // Killed meanwhile.
  }
}

const MAX_STATUS_BYTES = 4_096;

/**
 * What bwrap says about itself: its own exit status tells less, for a fault of the sandbox and a failing command can both
 * be a 1.
 */
function readStatus(descriptor: number): { readonly child_pid?: number; readonly exit_code?: number } {
  const { output: text } = printedText(descriptor, MAX_STATUS_BYTES);
  const child = /"child-pid":\s*(\d+)/.exec(text)?.[1];
  const exit = /"exit-code":\s*(\d+)/.exec(text)?.[1];
  return { ...(child && { child_pid: Number(child) }), ...(exit && { exit_code: Number(exit) }) };
}

/**
 * The kernel takes the process namespace down a moment after bwrap is gone; files are read only then. A sandbox killed
 * while it was being made does not yet die with its parent, so its first process is ended by name.
 */
async function isOver(init: number | undefined): Promise<void> {
  if (init === undefined || isGone(init)) return;
  signalProcess(init, "SIGKILL");
  for (let tries = 0; !isGone(init) && tries < 5_000; tries += 1) await Bun.sleep(1);
}
