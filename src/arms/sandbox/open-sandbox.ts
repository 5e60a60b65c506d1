import { spawnSync } from "node:child_process";
import { chownSync, existsSync, rmSync } from "node:fs";
import { Failure } from "../../domain/failure.ts";
import { findProgram } from "../../runtime/find-program.ts";
import { BubblewrapSandbox } from "./bubblewrap.ts";
import { type Fault, NO_PRLIMIT, NOT_INSTALLED, readFault, sandboxUnavailable } from "./fault.ts";
import { type SandboxHost, THIS_HOST } from "./host.ts";
import { FILTERED_ARCHITECTURES, seccompFilter } from "./isolation/seccomp.ts";
import { findMemoryGroups, type MemoryGroups } from "./memory-group.ts";
import { NoSandbox } from "./no-sandbox.ts";
import type { CommandNetwork, Owner, Sandbox } from "./sandbox.ts";
import { makeTempDir, sandboxOwner, tempRoot } from "./temp-dir.ts";
import { findToolchain } from "./toolchain.ts";

/**
 * A sandbox as asked for, not tried out: `probeSandbox` does that.
 * @throws Failure `sandbox_unavailable` when this machine cannot have it at all.
 */
export const openSandbox = (kind: Sandbox["kind"], host: SandboxHost = THIS_HOST): Sandbox =>
  kind === "none" ? new NoSandbox(host) : openBubblewrap(host);

/**
 * @param memory counts what commands hold; default: what this machine lets us use
 * @throws Failure `sandbox_unavailable`
 */
export function openBubblewrap(host: SandboxHost, memory: MemoryGroups | null = findMemoryGroups()): BubblewrapSandbox {
  const architecture = FILTERED_ARCHITECTURES.find((it) => it === process.arch);
  if (process.platform !== "linux" || !architecture)
    throw sandboxUnavailable(notSupported(process.platform, process.arch));
  const program = findProgram("bwrap", host.path);
  if (!program) throw sandboxUnavailable(NOT_INSTALLED);
  if (!existsSync("/usr/bin/prlimit")) throw sandboxUnavailable(NO_PRLIMIT);
  const owner = sandboxOwner();
  const toolchain = findToolchain(host, owner);
  const filter = seccompFilter(architecture, memory ? "counted" : "uncounted");
  const settings = { program, version: versionOf(program), owner, toolchain, filter, clock: host.clock };
  return new BubblewrapSandbox({ ...settings, memory });
}

const notSupported = (platform: string, architecture: string): Fault => ({
  reason: `there is no sandbox for ${platform} on ${architecture}`,
  fix: "run on Linux (x64 or arm64), or in a disposable container or virtual machine with --sandbox none",
});

function versionOf(program: string): string {
  const { stdout, error } = spawnSync(program, ["--version"], { env: {}, encoding: "utf8" });
  if (error) throw error;
  return stdout.replace("bubblewrap", "").trim();
}

/** Whether a sandbox works here: runs a command in one with everything switched on. */
export async function probeSandbox(host: SandboxHost = THIS_HOST): Promise<SandboxProbe> {
  const began = host.clock.ticks();
  try {
    const { version } = await triedSandbox(host);
    return { ok: true, version, ms: host.clock.ticks() - began };
  } catch (error) {
    return { ok: false, ...faultOf(error) };
  }
}

type SandboxProbe =
  | { readonly ok: true; readonly version: string; readonly ms: number }
  | { readonly ok: false; readonly reason: string; readonly fix: string };

/** A sandbox that has run a command. @throws Failure `sandbox_unavailable` */
export async function triedSandbox(host: SandboxHost): Promise<BubblewrapSandbox> {
  const sandbox = openBubblewrap(host);
  await tryCommand(sandbox, "none");
  return sandbox;
}

const TRIAL_MS = 20_000;

/** @throws Failure `sandbox_unavailable` when a command cannot be run in it. */
export async function tryCommand(sandbox: BubblewrapSandbox, network: CommandNetwork): Promise<void> {
  const { owner } = sandbox;
  const directory = makeTempDir(tempRoot(owner));
  try {
    if (owner) handOver(directory, owner);
    const limits = { timeout_ms: TRIAL_MS, max_output_bytes: 4_096, network };
    const result = await sandbox.run({ run: "/bin/true", directory, ...limits }, new AbortController().signal);
    if (result.ended !== "exit" || result.exit_code !== 0) throw sandboxUnavailable(readFault(result.output));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Root in a small user namespace has no unprivileged user to give the directory to. */
function handOver(directory: string, { uid, gid }: Owner): void {
  try {
    chownSync(directory, uid, gid);
  } catch {
    throw sandboxUnavailable({
      reason: `this root cannot hand files to the sandbox's user (${uid})`,
      fix: "run as an ordinary user, or treat the container as the sandbox: --sandbox none",
    });
  }
}

/** @throws what is not a fault of the sandbox */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Failure) || error.code !== "sandbox_unavailable") throw error;
  const { reason, fix } = error.details ?? {};
  return { reason: String(reason), fix: String(fix) };
}
