import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findProgram } from "../../runtime/find-program.ts";
import { BubblewrapSandbox } from "./bubblewrap.ts";
import { type Fault, NO_PRLIMIT, NOT_INSTALLED, sandboxUnavailable } from "./fault.ts";
import { type SandboxHost, THIS_HOST } from "./host.ts";
import { FILTERED_ARCHITECTURES, seccompFilter } from "./isolation/seccomp.ts";
import { findMemoryGroups, type MemoryGroups } from "./memory-group.ts";
import { NoSandbox } from "./no-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";
import { sandboxOwner } from "./temp-dir.ts";
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
