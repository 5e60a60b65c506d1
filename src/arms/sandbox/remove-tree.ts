import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { exitOf } from "../../runtime/exit-of.ts";
import { findProgram } from "../../runtime/find-program.ts";

/** Milliseconds that the caller waits. A removal that takes longer goes on in the background. */
const PATIENCE_MS = 2_000;

/** Milliseconds after which a removal is given up. */
const DEADLINE_MS = 60_000;

interface Removal {
  readonly patience_ms?: number;
  /** The program that removes; null: this machine has none. */
  readonly program?: string | null;
}

/**
 * Removes a directory that something hostile has filled. Never fails, and never keeps its caller for long: a slow
 * removal goes on in the background, and what cannot be removed stays on disk.
 */
export async function removeTree(directory: string, options: Removal = {}): Promise<void> {
  const { patience_ms = PATIENCE_MS, program = findProgram("rm") } = options;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patience_ms);
  await Promise.race([removeSteadily(directory, program), promise]);
  clearTimeout(timer);
}

/**
 * Uses programs that walk by descriptor: depth, names that are no text and paths longer than the kernel takes do not
 * stop them. They do not follow links. Where they cannot be started, this process removes the tree.
 */
async function removeSteadily(directory: string, program: string | null): Promise<void> {
  const remove = () => ran(program, ["-rf", "--", directory]);
  if (!(await remove())) return await rm(directory, { recursive: true, force: true }).catch(ignored);
  if (!existsSync(directory)) return;
  await ran(findProgram("chmod"), ["-R", "u+rwX", "--", directory]);
  await remove();
}

/** What cannot be removed stays. */
const ignored = () => undefined;

/** False when it could not be started. The program outlives this process, and does not keep it alive. */
async function ran(program: string | null, args: readonly string[]): Promise<boolean> {
  if (program === null) return false;
  try {
    const child = spawn(program, args, { env: {}, stdio: "ignore", detached: true });
    child.unref();
    // Its own `timeout` would keep this process until then.
    const deadline = setTimeout(() => child.kill(), DEADLINE_MS).unref();
    await exitOf(child).finally(() => clearTimeout(deadline));
    return true;
  } catch {
    return false;
  }
}
