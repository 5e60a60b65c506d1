import { chownSync, rmSync } from "node:fs";
import type { SandboxHost } from "../../../arms/sandbox/host.ts";
import type { CommandNetwork, Sandbox } from "../../../arms/sandbox/sandbox.ts";
import { makeTempDir, tempRoot } from "../../../arms/sandbox/temp-dir.ts";
import { type Check, pass } from "../check.ts";
import type { Services } from "../services.ts";

/** Programs of common languages and builds. */
const PROGRAMS = ["bun", "node", "npm", "python3", "pip", "uv", "go", "cargo", "java", "ruby", "gcc", "make", "git"];

/** Which programs a command finds. That depends on the sandbox and on where they are installed. */
export const toolchains: Check<Services> = {
  id: "sandbox.toolchains",
  title: "Programs that commands find",
  async run({ sandbox: mode, sandboxes }, signal) {
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
};

const readable = ({ read = [] }: Pick<SandboxHost, "read">) =>
  read.length === 0 ? "" : `directories shown by --sandbox-read: ${read.length}`;

/** What a command prints in an empty directory of its own. */
export async function outputIn(
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
