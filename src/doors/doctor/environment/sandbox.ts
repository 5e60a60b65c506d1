import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { BubblewrapSandbox } from "../../../arms/sandbox/bubblewrap.ts";
import type { SandboxHost } from "../../../arms/sandbox/host.ts";
import { findMemoryGroups } from "../../../arms/sandbox/memory-group.ts";
import { probeSandbox } from "../../../arms/sandbox/open-sandbox.ts";
import type { CommandNetwork, Sandbox } from "../../../arms/sandbox/sandbox.ts";
import { makeTempDir, tempRoot } from "../../../arms/sandbox/temp-dir.ts";
import { openPristine } from "../../../arms/workspace/pristine.ts";
import { SANDBOX_NEED } from "../../../comparison/planning/needs.ts";
import { Failure } from "../../../domain/failure.ts";
import { exitOf } from "../../../runtime/exit-of.ts";
import { type Check, check, fail, pass, skip, warn } from "../check.ts";
import { type Services, workersWith } from "../services.ts";

/** Whether the sandbox contains a model's commands. Commands try to get out. */
const sandbox = check("sandbox", "Sandbox", async ({ sandbox: mode, sandboxes, workers }: Services, signal) => {
  if (mode === "none") return warn(`none, as asked: ${BARE}`, "leave out --sandbox none where bubblewrap works");
  const probe = await probeSandbox(sandboxes.host);
  if (!probe.ok && workersWith({ workers }, SANDBOX_NEED) > 0)
    return pass(`none here: ${probe.reason}; workers have one, and runs go to them`);
  if (!probe.ok) return warn(`none: ${probe.reason}; ${refusal(mode)}`, probe.fix);
  const { sandbox: chosen } = await sandboxes.choose("bubblewrap", true);
  const open = await attemptEscapes(chosen, signal);
  const name = `bubblewrap ${probe.version}`;
  return open.length === 0
    ? pass(`${name}; tried here: ${CONTAINED}`)
    : warn(`${name} runs, but a command can ${open.join(", ")}`, "run on another kernel or in a virtual machine");
});

const BARE = "commands can do whatever this user can, for example read its files and use the network";

const CONTAINED =
  "a command can neither read nor write files outside its workspace, nor see this process's environment, nor reach a network";

const refusal = (mode: "auto" | "bubblewrap") =>
  mode === "auto"
    ? "runs with a model are refused, scripted arms run without a sandbox"
    : "every run is refused, because --sandbox bubblewrap was given";

/** Every command needs a shell. */
export const shell = (program = "/bin/sh"): Check<unknown> => ({
  id: "shell",
  title: "Shell",
  run: async () =>
    (await answers(program)) ? pass(program) : fail(`${program} does not run`, "install a POSIX shell"),
});

async function answers(program: string): Promise<boolean> {
  try {
    return (await exitOf(spawn(program, ["-c", "exit 7"], { env: {}, stdio: "ignore" }))) === 7;
  } catch {
    // Absent, or not to be executed.
    return false;
  }
}

/** How the memory of a command is limited to 2 GiB. */
const commandMemory = check("sandbox.memory", "Memory limit of commands", ({ sandbox: mode }: Services) => {
  if (process.platform !== "linux") return skip("not limited on this system");
  if (mode === "none") return skip(`without a sandbox ${LOOKED_AT}; memory files and shared memory are not counted`);
  const groups = findMemoryGroups();
  return groups === null
    ? pass(`${LOOKED_AT}, memory files and big shared segments are refused; the kernel would count all ${WITH_GROUP}`)
    : pass(`cgroup ${groups.version}: the kernel limits it, memory files and shared memory included`);
});

const LOOKED_AT = "resident memory is measured ten times a second";

const WITH_GROUP = "in a cgroup of its own (systemd-run --user --scope -p Delegate=yes)";

/**
 * What a command in this sandbox can do that it should not, in words; empty when it is contained.
 * @param pid of this process
 * @throws Failure `sandbox_unavailable` when the attempts could not be made.
 */
export async function attemptEscapes(
  sandbox: Sandbox,
  signal: AbortSignal,
  pid = process.pid,
): Promise<readonly string[]> {
  const outside = makeTempDir();
  try {
    const canary = join(outside, "canary");
    writeFileSync(canary, "a file of this user, outside every workspace\n", { mode: 0o666 });
    await using pristine = openPristine({ source: { dir: null, files: {} }, sandbox, keep: false });
    await using workspace = pristine.open();
    const run = ATTEMPTS.map(({ script }) => script(canary, pid)).join("\n");
    const limits = { timeout_ms: 10_000, max_output_bytes: 4_096, network: "none" } as const;
    const { output } = await workspace.exec({ run: `${run}\necho ${TRIED}`, ...limits }, signal);
    const said = output.split("\n");
    if (said.includes(TRIED)) return ATTEMPTS.filter(({ sign }) => said.includes(sign)).map(({ means }) => means);
    throw new Failure("sandbox_unavailable", `the sandbox starts, but a command in it failed: ${output}`);
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

const TRIED = "tried";

interface Attempt {
  /** Prints `sign` on a line of its own when it succeeds. */
  readonly script: (canary: string, pid: number) => string;
  readonly sign: string;
  readonly means: string;
}

const ATTEMPTS: readonly Attempt[] = [
  {
    script: (canary) => `cat '${canary}' >/dev/null 2>&1 && echo reads`,
    sign: "reads",
    means: "read this user's files",
  },
  {
    script: (canary) => `(echo x >> '${canary}') 2>/dev/null && echo writes`,
    sign: "writes",
    means: "write this user's files",
  },
  {
    // This process's environment held the keys when it started. In a container its number is so small that a process of the
    // sandbox may have it too; that one is in another namespace.
    script: (_, pid) =>
      `[ "$(readlink /proc/${pid}/ns/pid)" = '${pidNamespace()}' ] && ` +
      `head -c 1 /proc/${pid}/environ 2>/dev/null | grep -q . && echo environment`,
    sign: "environment",
    means: "read the environment that this process was started with",
  },
  {
    // A network namespace of its own has only a loopback interface.
    script: () => "sed 1,2d /proc/net/dev 2>/dev/null | grep -qv '^ *lo:' && echo network",
    sign: "network",
    means: "reach a network",
  },
];

/** The pid namespace of this process, as Linux names it: `pid:[4026531836]`. */
const pidNamespace = () => (existsSync(OWN_NAMESPACE) ? readlinkSync(OWN_NAMESPACE) : "none");
const OWN_NAMESPACE = "/proc/self/ns/pid";

/** Which network a model's commands get with `network: open`. A command tries it. */
export const openNetwork = check(
  "sandbox.network",
  "Open network",
  async ({ sandbox: mode, sandboxes, workers }: Services, signal) => {
    if (mode === "none") return skip("without a sandbox every command has the network of this machine");
    if (sandboxes.host.accept_host_network)
      return warn(`--accept-host-network: ${REACH}`, "leave it out unless you trust the model");
    if (workersWith({ workers }, SANDBOX_NEED) > 0 && !(await probeSandbox(sandboxes.host)).ok)
      return skip("there is no sandbox here; runs go to workers, and doctor on each worker checks theirs");
    try {
      const { sandbox } = await sandboxes.choose("bubblewrap", true);
      if (!(sandbox instanceof BubblewrapSandbox)) return skip("there is no sandbox");
      const { sandbox: networked, helper } = await sandboxes.withOwnNetwork(sandbox);
      return (await reachesThisMachine(networked, signal))
        ? warn(`${helper} is used, and ${REACH}`, "update it, or run no scenario with `network: open`")
        : pass(`a network of its own by ${helper}; tried here: a server on this machine's loopback is out of reach`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { reason, fix } = error.details ?? {};
      return warn(`arms of a model with \`network: open\` are refused: ${String(reason)}`, String(fix));
    }
  },
);

const REACH = "a model's commands with `network: open` can reach this machine's own servers";

const GREETING = "this machine answers";

async function reachesThisMachine(sandbox: Sandbox, signal: AbortSignal): Promise<boolean> {
  const server = createServer((socket) => socket.on("error", () => undefined).end(GREETING));
  try {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo; // a TCP server's
    const run = `timeout 5 bun -e 'require("node:net").connect(${port}, "127.0.0.1").on("data", (it) => console.log(String(it)))'`;
    return (await outputIn(sandbox, { run, network: "open" }, signal)).includes(GREETING);
  } finally {
    server.close();
  }
}

/** Programs of common languages and builds. */
const PROGRAMS = ["bun", "node", "npm", "python3", "pip", "uv", "go", "cargo", "java", "ruby", "gcc", "make", "git"];

/** Which programs a command finds. That depends on the sandbox and on where they are installed. */
export const toolchains = check(
  "sandbox.toolchains",
  "Programs on the PATH of commands",
  async ({ sandbox: mode, sandboxes }: Services, signal) => {
    const { sandbox } = await sandboxes.choose(mode === "bubblewrap" ? "auto" : mode, false);
    const script = PROGRAMS.map((name) => `command -v ${name} >/dev/null && echo ${name}`).join("\n");
    const said = await outputIn(sandbox, { run: script, network: "none" }, signal);
    const found = PROGRAMS.filter((name) => said.split("\n").includes(name));
    const absent = PROGRAMS.filter((name) => !found.includes(name));
    const parts = [
      found.join(", ") || "none",
      absent.length > 0 ? `not found: ${absent.join(", ")}` : "",
      readable(sandboxes.host),
    ];
    return pass(parts.filter((part) => part !== "").join("; "));
  },
);

const readable = ({ read = [] }: Pick<SandboxHost, "read">) =>
  read.length === 0 ? "" : `directories shown by --sandbox-read: ${read.length}`;

/** What a command prints in an empty directory of its own. */
async function outputIn(
  sandbox: Sandbox,
  command: { readonly run: string; readonly network: CommandNetwork },
  signal: AbortSignal,
): Promise<string> {
  const directory = makeTempDir(tempRoot(sandbox.owner));
  try {
    if (sandbox.owner) chownSync(directory, sandbox.owner.uid, sandbox.owner.gid);
    const limits = { directory, timeout_ms: 20_000, max_output_bytes: 4_096 };
    return (await sandbox.run({ ...command, ...limits }, signal)).output;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export const sandboxChecks: readonly Check<Services>[] = [shell(), sandbox, commandMemory];
