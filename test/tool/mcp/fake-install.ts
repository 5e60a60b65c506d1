import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "../../../src/domain/arm.ts";
import { temporaryDirectory } from "../../temporary.ts";

const SERVERS = ["fake-server.mjs", "hostile-server.mjs"];

/** A directory of installs with `fake`, which others than its owner may read, as a sandbox's user must. */
export function fakeInstalls(parent?: string): Disposable & { readonly path: string } {
  const directory = temporaryDirectory(parent);
  const install = join(directory.path, "fake");
  mkdirSync(install);
  for (const name of SERVERS) {
    copyFileSync(join(import.meta.dir, name), join(install, name));
    chmodSync(join(install, name), 0o644);
  }
  for (const path of [directory.path, install]) chmodSync(path, 0o755);
  return directory;
}

/** The fake server as a scenario would name it. */
export const fakeServer = (
  name = "fake",
  changes: Partial<McpServer> = {},
  behaviours: readonly string[] = [],
): McpServer => ({
  ...{ name, install: "fake", tools: null, timeout_s: 20 },
  command: ["bun", `/opt/mcp/${name}/fake-server.mjs`, ...behaviours],
  ...changes,
});

/** A server with the tool `go`, which attacks its client in this way with about so many bytes. */
export const hostileServer = (family: string, bytes = 1_000): McpServer =>
  fakeServer("foe", { command: ["bun", "/opt/mcp/foe/hostile-server.mjs", family, String(bytes)] });
