import { spawn } from "node:child_process";
import { findMemoryGroups } from "../../../arms/sandbox/memory-group.ts";
import { probeSandbox } from "../../../arms/sandbox/probe-sandbox.ts";
import { SANDBOX_NEED } from "../../../comparison/planning/need-names.ts";
import { exitOf } from "../../../runtime/exit-of.ts";
import { type Check, fail, pass, skip, warn } from "../check.ts";
import type { Services } from "../services.ts";
import { workersWith } from "../workers.ts";
import { attemptEscapes } from "./escapes.ts";

/** Whether the sandbox contains a model's commands. Commands try to get out. */
export const sandbox: Check<Services> = {
  id: "sandbox",
  title: "Sandbox",
  async run({ sandbox: mode, sandboxes, workers }, signal) {
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
  },
};

const BARE = "commands can do whatever this user can, read its files and use the network among it";

const CONTAINED =
  "a command can neither read nor write files outside its workspace, nor see this process's environment, nor reach a network";

const refusal = (mode: "auto" | "bubblewrap") =>
  mode === "auto"
    ? "runs with a model are refused, scripted ones run without a sandbox"
    : "every run is refused, since bubblewrap was asked for";

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
export const commandMemory: Check<Services> = {
  id: "sandbox.memory",
  title: "Memory of commands",
  run({ sandbox: mode }) {
    if (process.platform !== "linux") return skip("not limited on this system");
    if (mode === "none") return skip(`without a sandbox ${LOOKED_AT}; memory files and shared memory are not counted`);
    const groups = findMemoryGroups();
    return groups === null
      ? pass(`${LOOKED_AT}, memory files and big shared segments are refused; the kernel would count all ${WITH_GROUP}`)
      : pass(`cgroup ${groups.version}: the kernel limits it, memory files and shared memory included`);
  },
};

const LOOKED_AT = "resident memory is looked at ten times a second";

const WITH_GROUP = "in a cgroup of its own (systemd-run --user --scope -p Delegate=yes)";
