import type { SandboxMode } from "../domain/session.ts";
import { openSandbox } from "./open-sandbox.ts";
import { faultOf, triedSandbox } from "./probe-sandbox.ts";
import type { BubblewrapSandbox } from "./sandbox/bubblewrap.ts";
import { type SandboxHost, THIS_HOST } from "./sandbox/host.ts";
import type { Sandbox } from "./workspace.ts";

/**
 * The sandbox for a run, tried out, and a line to print when it is not a real one.
 * Fails closed for commands that a model writes, open for those that stand in the scenario file.
 * @throws Failure `sandbox_unavailable` with `reason` and `fix` in its details.
 */
export async function chooseSandbox(
  mode: SandboxMode,
  commandsFromModel: boolean,
  host: SandboxHost = THIS_HOST,
): Promise<{ readonly sandbox: Sandbox; readonly note: string | null }> {
  if (mode === "none") return { sandbox: openSandbox("none", host), note: WARNING };
  try {
    return { sandbox: await knownSandbox(host), note: null };
  } catch (error) {
    const { reason } = faultOf(error);
    if (mode === "bubblewrap" || commandsFromModel) throw error;
    const note = `no sandbox (${reason}): the scenario's own commands run without one`;
    return { sandbox: openSandbox("none", host), note };
  }
}

const WARNING = "no sandbox, as asked: commands can do whatever this user can";

/** A sandbox that worked is used again until it fails; trying one costs two dozen milliseconds. */
const known = new WeakMap<SandboxHost, BubblewrapSandbox>();

async function knownSandbox(host: SandboxHost): Promise<BubblewrapSandbox> {
  const before = known.get(host);
  if (before?.sound) return before;
  const sandbox = await triedSandbox(host);
  known.set(host, sandbox);
  return sandbox;
}
