import { chooseSandbox } from "../../../workspace/choose-sandbox.ts";
import { probeSandbox } from "../../../workspace/probe-sandbox.ts";
import { THIS_HOST } from "../../../workspace/sandbox/host.ts";
import { type Check, pass, warn } from "../check.ts";
import type { Surroundings } from "../services.ts";
import { attemptEscapes } from "./escapes.ts";

/** Whether a model's commands are fenced off, and what from: tried, not believed. */
export const sandbox: Check<Surroundings> = {
  id: "sandbox",
  title: "Sandbox",
  async run({ sandbox: mode, sandbox_host: host = THIS_HOST }, signal) {
    if (mode === "none") return warn(`none, as asked: ${BARE}`, "leave out --sandbox none where bubblewrap works");
    const probe = await probeSandbox(host);
    if (!probe.ok) return warn(`none: ${probe.reason}; ${refusal(mode)}`, probe.fix);
    const { sandbox: chosen } = await chooseSandbox("bubblewrap", true, host);
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
