import { chownSync } from "node:fs";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import type { Sandbox, SandboxedProcess, SandboxedProgram } from "../../src/arms/sandbox/sandbox.ts";
import { host } from "../machine.ts";
import { Directory, never } from "../workspace/harness.ts";

/** A workspace that its sandbox's user may write. */
export function workspaceOf({ owner }: Sandbox): Directory {
  const directory = new Directory();
  if (owner) chownSync(directory.path, owner.uid, owner.gid);
  return directory;
}

/** One program in a workspace of its own; disposal ends it. */
export async function started(
  kind: Sandbox["kind"],
  command: SandboxedProgram["command"],
  { signal = never, ...options }: Partial<SandboxedProgram> & { readonly signal?: AbortSignal } = {},
) {
  const sandbox = openSandbox(kind, host);
  const workspace = workspaceOf(sandbox);
  const program = { command, directory: workspace.path, network: "none", ...options } as const;
  const process = await sandbox.start(program, signal).catch((error) => {
    workspace[Symbol.dispose]();
    throw error;
  });
  const dispose = async () => {
    await process[Symbol.asyncDispose]();
    workspace[Symbol.dispose]();
  };
  return { process, sandbox, directory: workspace.path, [Symbol.asyncDispose]: dispose };
}

export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString();
}

/** Lines as they come. */
export function lines(stream: AsyncIterable<Uint8Array>) {
  const iterator = stream[Symbol.asyncIterator]();
  let rest = "";
  return async (): Promise<string | undefined> => {
    while (!rest.includes("\n")) {
      const { value, done } = await iterator.next();
      if (done) return undefined;
      rest += Buffer.from(value).toString();
    }
    const [line = "", ...others] = rest.split("\n");
    rest = others.join("\n");
    return line;
  };
}

export async function endOf({ ended }: SandboxedProcess) {
  const { ended: how, exit_code } = await ended;
  return { ended: how, exit_code };
}

/** Everything a run of `command` printed and how it ended. */
export async function outcome(
  kind: Sandbox["kind"],
  command: SandboxedProgram["command"],
  options?: Parameters<typeof started>[2],
) {
  await using running = await started(kind, command, options);
  const { process } = running;
  const [stdout, stderr, end] = await Promise.all([textOf(process.stdout), textOf(process.stderr), endOf(process)]);
  return { stdout, stderr, ...end };
}
