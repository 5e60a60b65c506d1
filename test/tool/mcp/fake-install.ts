import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "../../../src/domain/arm.ts";
import { temporaryDirectory } from "../../temporary.ts";

/** A directory of installs with `fake`, which others than its owner may read, as a sandbox's user must. */
export function fakeInstalls(): Disposable & { readonly path: string } {
  const directory = temporaryDirectory();
  const install = join(directory.path, "fake");
  mkdirSync(install);
  copyFileSync(join(import.meta.dir, "fake-server.mjs"), join(install, "server.mjs"));
  for (const path of [directory.path, install]) chmodSync(path, 0o755);
  chmodSync(join(install, "server.mjs"), 0o644);
  return directory;
}

/** The fake server as a scenario would name it. */
export const fakeServer = (
  name = "fake",
  changes: Partial<McpServer> = {},
  behaviours: readonly string[] = [],
): McpServer => ({
  ...{ name, install: "fake", tools: null, timeout_s: 20 },
  command: ["bun", `/opt/mcp/${name}/server.mjs`, ...behaviours],
  ...changes,
});
