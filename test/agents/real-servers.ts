import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Need } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";

/** The servers that the protocol's authors keep as examples, at the versions that are known to work. */
const PACKAGES = ["server-filesystem@2026.8.31", "server-everything@2026.8.31"].map(
  (name) => `@modelcontextprotocol/${name}`,
);

/** What Bun says where no registry answers. */
export const UNREACHABLE = /DNSResolveFailed|Connection(Refused|Closed|Reset)|FailedToOpenSocket|Timeout|Unreachable/i;

/**
 * A directory of installs with one, `mcp-servers`, that holds both. Disposal removes it. Undefined where no registry can be
 * reached. @throws Error with what the installation said, when it fails otherwise
 */
export function installServers(): (Disposable & { readonly path: string }) | undefined {
  const directory = temporaryDirectory();
  const install = join(directory.path, "mcp-servers");
  mkdirSync(install);
  writeFileSync(join(install, "package.json"), JSON.stringify({ private: true }));
  const command = [process.execPath, "add", "--exact", ...PACKAGES];
  const { success, stderr } = Bun.spawnSync(command, { cwd: install, env: process.env });
  if (success) {
    // A sandbox's user is another one.
    for (const path of [directory.path, install]) chmodSync(path, 0o755);
    return directory;
  }
  directory[Symbol.dispose]();
  if (UNREACHABLE.test(stderr.toString())) return undefined;
  throw new Error(`${PACKAGES.join(", ")} cannot be installed:\n${stderr}`);
}

export const registry = (installed: object | undefined): Need => ({
  what: "the npm registry (a network)",
  met: installed !== undefined,
});
