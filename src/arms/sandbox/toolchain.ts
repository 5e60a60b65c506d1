import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram } from "../../runtime/find-program.ts";
import type { SandboxHost } from "./host.ts";
import { publicCopy } from "./public-copy.ts";
import type { Owner } from "./sandbox.ts";
import { isReachable } from "./temp-dir.ts";

/** Programs that lie outside /usr, and where the sandbox shows them. */
export interface Toolchain {
  readonly binds: readonly { readonly from: string; readonly to: string }[];
  /** Small executable scripts by their path inside. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Directories inside that go before the usual PATH. */
  readonly path: readonly string[];
}

/** Neutral names inside: the real ones may tell whose machine this is. */
const BUN_DIRECTORY = "/opt/bun/bin";
const NODE_DIRECTORY = "/opt/node";
const SELF = "/opt/bun/abeval";

export const NO_TOOLCHAIN: Toolchain = { binds: [], scripts: {}, path: [] };

/**
 * `bun` and `node` for the sandbox. Where the machine has no `bun`, `executable` serves as one.
 * Directories that the user lets commands read come first, so that a virtual environment's programs are the ones found.
 */
export function findToolchain({ path, executable, read = [] }: SandboxHost, owner: Owner | null): Toolchain {
  const found = [bun(findProgram("bun", path), executable, owner), node(path, owner)];
  const parts = [...read.map(readable), ...found];
  return {
    binds: parts.flatMap((part) => part.binds),
    scripts: Object.assign({}, ...parts.map((part) => part.scripts)),
    path: parts.flatMap((part) => part.path),
  };
}

function readable(directory: string): Toolchain {
  const path = [join(directory, "bin"), directory].filter(holdsPrograms);
  return { binds: [{ from: directory, to: directory }], scripts: {}, path };
}

function holdsPrograms(directory: string): boolean {
  if (!existsSync(directory)) return false;
  const isProgram = (name: string) => {
    const stats = statSync(join(directory, name), { throwIfNoEntry: false });
    return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
  };
  return readdirSync(directory).some(isProgram);
}

function bun(found: string | null, executable: string | null, owner: Owner | null): Toolchain {
  if (found && isSharedAlready(found)) return NO_TOOLCHAIN;
  const path = [BUN_DIRECTORY];
  if (found && isReachable(realpathSync(found), owner))
    return { binds: [{ from: realpathSync(found), to: `${BUN_DIRECTORY}/bun` }], scripts: {}, path };
  if (executable === null) return NO_TOOLCHAIN;
  const from = isReachable(executable, owner) ? executable : publicCopy(executable);
  return { binds: [{ from, to: SELF }], scripts: { [`${BUN_DIRECTORY}/bun`]: bunShim(SELF) }, path };
}

/** A `bun` made of our own executable. It is a script, so that no other program gets the variable. */
export const bunShim = (executable: string) => `#!/bin/sh\nBUN_BE_BUN=1 exec '${executable}' "$@"\n`;

function node(searchPath: string, owner: Owner | null): Toolchain {
  const found = findProgram("node", searchPath);
  if (!found || isSharedAlready(found)) return NO_TOOLCHAIN;
  const binary = realpathSync(found);
  if (!isReachable(binary, owner)) return NO_TOOLCHAIN;
  const prefix = dirname(dirname(binary));
  const path = [`${NODE_DIRECTORY}/bin`];
  // npm lies beside node in an installation of its own; a bin directory shared with other things stays out.
  if (existsSync(join(prefix, "include/node")))
    return { binds: [{ from: prefix, to: NODE_DIRECTORY }], scripts: {}, path };
  return { binds: [{ from: binary, to: `${NODE_DIRECTORY}/bin/node` }], scripts: {}, path };
}

/** Whether it is on the usual PATH and below /usr, which every sandbox sees. */
const isSharedAlready = (found: string) =>
  /^(\/usr(\/local)?)?\/bin\/[^/]+$/.test(found) && realpathSync(found).startsWith("/usr/");
