import { existsSync } from "node:fs";
import { BubblewrapSandbox } from "./sandbox/bubblewrap.ts";
import { NO_PRLIMIT, NOT_INSTALLED, notSupported, sandboxUnavailable } from "./sandbox/fault.ts";
import { type SandboxHost, THIS_HOST } from "./sandbox/host.ts";
import { findMemoryGroups, type MemoryGroups } from "./sandbox/memory-group.ts";
import { sandboxOwner } from "./sandbox/owner.ts";
import { FILTERED_ARCHITECTURES, seccompFilter } from "./sandbox/seccomp.ts";
import { findToolchain } from "./sandbox/toolchain.ts";
import { Unsandboxed } from "./sandbox/unsandboxed.ts";
import type { Sandbox } from "./workspace.ts";

/**
 * A sandbox as asked for, not tried out: `probeSandbox` does that.
 * @throws Failure `sandbox_unavailable` when this machine cannot have it at all.
 */
export const openSandbox = (kind: Sandbox["kind"], host: SandboxHost = THIS_HOST): Sandbox =>
  kind === "none" ? new Unsandboxed(host) : openBubblewrap(host);

/**
 * @param memory counts what commands hold; default: what this machine lets us use
 * @throws Failure `sandbox_unavailable`
 */
export function openBubblewrap(host: SandboxHost, memory: MemoryGroups | null = findMemoryGroups()): BubblewrapSandbox {
  const architecture = FILTERED_ARCHITECTURES.find((it) => it === process.arch);
  if (process.platform !== "linux" || !architecture)
    throw sandboxUnavailable(notSupported(process.platform, process.arch));
  const program = Bun.which("bwrap", { PATH: host.path });
  if (!program) throw sandboxUnavailable(NOT_INSTALLED);
  if (!existsSync("/usr/bin/prlimit")) throw sandboxUnavailable(NO_PRLIMIT);
  const owner = sandboxOwner();
  const toolchain = findToolchain(host, owner);
  const filter = seccompFilter(architecture, memory ? "counted" : "uncounted");
  const settings = { program, version: versionOf(program), owner, toolchain, filter, clock: host.clock };
  return new BubblewrapSandbox({ ...settings, memory });
}

function versionOf(program: string): string {
  const { stdout } = Bun.spawnSync([program, "--version"], { env: {} });
  return stdout.toString().replace("bubblewrap", "").trim();
}
