import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Need } from "../machine.ts";
import { UNREACHABLE } from "./real-servers.ts";

/** Name of an install, and the package with its version that is in it. */
export type Pins = Readonly<Record<string, string>>;

/** Where a sandbox's user may walk: root's home is closed, and temporary files are nothing that `--agents-dir` takes. */
export const CACHE =
  process.getuid?.() === 0 ? "/var/cache" : (process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"));

/**
 * A directory of installs as `--agents-dir` takes it, kept between runs: the agents are gigabytes. What is there already is
 * not fetched again. ABEVAL_TEST_AGENTS names another one.
 */
export const AGENTS_DIR = process.env["ABEVAL_TEST_AGENTS"] ?? join(CACHE, "abeval-test-agents");

/**
 * Installs what is missing. False where no registry can be reached.
 * @throws Error with what the installation said, when it fails otherwise
 */
export function install(pins: Pins): boolean {
  mkdirSync(AGENTS_DIR, { recursive: true });
  chmodSync(AGENTS_DIR, 0o755);
  return Object.entries(pins).every(([name, spec]) => existsSync(join(AGENTS_DIR, name)) || installOne(name, spec));
}

function installOne(name: string, spec: string): boolean {
  const directory = mkdtempSync(join(AGENTS_DIR, ".new-"));
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, "package.json"), JSON.stringify({ private: true }));
  // Scripts of the packages put their programs in place.
  const command = [process.execPath, "add", "--exact", "--trust", spec];
  const { success, stderr } = Bun.spawnSync(command, { cwd: directory, env: process.env });
  if (success && moved(directory, join(AGENTS_DIR, name))) return true;
  rmSync(directory, { recursive: true, force: true });
  if (success) return true;
  if (UNREACHABLE.test(stderr.toString())) return false;
  throw new Error(`${spec} cannot be installed:\n${stderr}`);
}

/** False when another run was faster. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

export const registry = (installed: boolean): Need => ({ what: "the npm registry (a network)", met: installed });
