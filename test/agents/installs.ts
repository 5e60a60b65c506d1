import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Need } from "../machine.ts";
import { UNREACHABLE } from "./real-servers.ts";

/** Name of an install, and the package with its version that is in it. */
export type Pins = Readonly<Record<string, string>>;

/**
 * A directory of installs as `--agents-dir` takes it, kept between runs: the agents are hundreds of megabytes. What is
 * there already is not fetched again. ABEVAL_TEST_AGENTS names another one.
 */
export const AGENTS_DIR = process.env["ABEVAL_TEST_AGENTS"] ?? join(tmpdir(), `abeval-agents-${process.getuid?.()}`);

/**
 * Installs what is missing. False where no registry can be reached.
 * @throws Error with what the installation said, when it fails otherwise
 */
export function install(pins: Pins): boolean {
  mkdirSync(AGENTS_DIR, { recursive: true });
  // Others may write to the directory of temporary files. A sandbox's user must be able to walk here.
  if (lstatSync(AGENTS_DIR).uid !== process.getuid?.()) throw new Error(`${AGENTS_DIR} belongs to somebody else`);
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
