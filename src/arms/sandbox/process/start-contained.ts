import { spawn } from "node:child_process";
import type { Clock } from "../../../runtime/clock.ts";
import { exitOf } from "../../../runtime/exit-of.ts";
import { bubblewrapArguments, limited } from "../bubblewrap-arguments.ts";
import { NOT_INSTALLED, sandboxUnavailable } from "../fault.ts";
import { AnonymousFiles } from "../isolation/anonymous-file.ts";
import type { OwnNetwork } from "../isolation/own-network.ts";
import { COMMAND_LIMITS } from "../limits.ts";
import type { MemoryGroups } from "../memory-group.ts";
import type { Owner } from "../sandbox.ts";
import { NO_TOOLCHAIN, type Toolchain } from "../toolchain.ts";
import { ContainedProcess, type GatedChild } from "./contained-process.ts";
import { disksOf } from "./disk-watch.ts";
import type { Launch, Started } from "./started.ts";
import { supervise } from "./supervise.ts";

export interface BubblewrapSettings {
  /** Absolute path of bwrap. */
  readonly program: string;
  readonly version: string;
  readonly owner: Owner | null;
  readonly toolchain: Toolchain;
  readonly filter: Uint8Array;
  /** Counts memory for the kernel to limit; null: resident memory is looked at, and `filter` refuses what that misses. */
  readonly memory: MemoryGroups | null;
  /** What an open network is; absent: the one of this machine. */
  readonly own_network?: OwnNetwork;
  readonly clock: Clock;
}

/** The program did not run at all. */
interface NotBegun {
  /** Why, in the words of what should have started it. */
  readonly said: string;
}

/**
 * Tries to start a program in bubblewrap.
 * @throws Failure `sandbox_unavailable` when bubblewrap is not installed.
 */
export async function startContained(
  settings: BubblewrapSettings,
  launch: Launch,
  signal: AbortSignal,
): Promise<Started | NotBegun> {
  await using resources = new AsyncDisposableStack();
  const files = resources.use(new AnonymousFiles());
  const network = launch.network === "open" ? settings.own_network : undefined;
  const disks = disksOf(launch);
  const { child, status } = spawned(settings, launch, network, files);
  const exited = exitOf(child);
  const { pid } = child;
  if (pid === undefined) return await whyNotSpawned(exited);
  const { output, timeout_ms, limits: { tree_bytes } = COMMAND_LIMITS } = launch;
  const contained = resources.use(
    new ContainedProcess({ child, pid, status, output, groups: settings.memory, tree_bytes }),
  );
  const passed = contained.passGate(network);
  const supervision = supervise(
    {
      ...{ pid, output, disks, timeout_ms, clock: settings.clock },
      exited: exited.then(() => contained.exitCode()),
      tooMuchMemory: () => contained.tooMuchMemory(),
      foreignEnd: () => contained.foreignEnd(),
      kill: () => contained.kill(),
      signal: (name) => contained.signal(name),
      root: () => contained.init,
    },
    signal,
  );
  const held = resources.move();
  const ended = supervision.ended.finally(() => held.disposeAsync());
  await Promise.race([passed, ended]);
  // Whatever becomes of a sandbox in which the program has begun, the program did it.
  if (!contained.begun && (await ended).ended === "exit") return { said: await contained.complaint() };
  return { ...supervision, ended, pipes: contained.pipes() };
}

/** After stdin, stdout and stderr. */
const FIRST_DESCRIPTOR = 3;

function spawned(settings: BubblewrapSettings, launch: Launch, own: OwnNetwork | undefined, files: AnonymousFiles) {
  const { program, version, owner, toolchain, filter } = settings;
  const status = files.appending(null);
  const descriptors = [status];
  const attach = (content: string | Uint8Array) => FIRST_DESCRIPTOR + descriptors.push(files.holding(content)) - 1;
  const list = bubblewrapArguments({
    ...launch,
    ...{ toolchain: shownToolchain(launch, toolchain), filter, attach },
    network: own ?? (launch.network === "none" ? "none" : "host"),
    disableUserns: supportsDisableUserns(version),
    statusDescriptor: FIRST_DESCRIPTOR,
  });
  const argumentsDescriptor = attach(list.map((argument) => `${argument}\0`).join(""));
  const contained = limited([program, "--args", String(argumentsDescriptor)], launch);
  const [first = "", ...options] = own?.around(contained) ?? contained;
  const child = spawn(first, options, {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", launch.output ?? "pipe", ...descriptors],
    detached: true,
    ...owner,
  }) as GatedChild; // as `stdio` says
  return { child, status };
}

/** An image brings its own programs. What others install, and start in it, may need those of this machine. */
const shownToolchain = ({ surroundings, output }: Launch, toolchain: Toolchain): Toolchain =>
  surroundings?.image && output !== null ? NO_TOOLCHAIN : toolchain;

/** Came with 0.8. */
function supportsDisableUserns(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 0 || minor >= 8;
}

/** @throws Failure `sandbox_unavailable` when there is no such program. */
async function whyNotSpawned(exited: Promise<number>): Promise<NotBegun> {
  try {
    return { said: `ended with ${await exited}` };
  } catch (error) {
    // node's own errors carry a code
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw sandboxUnavailable(NOT_INSTALLED);
    return { said: message };
  }
}
