import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";

/** Milliseconds that whoever removes a tree waits for it; what takes longer goes on behind. */
const PATIENCE_MS = 2_000;

/** Milliseconds after which a removal is given up. */
const DEADLINE_MS = 60_000;

export interface Removal {
  readonly patience_ms?: number;
  /** The program that removes; null: this machine has none. */
  readonly program?: string | null;
}

/**
 * Removes a directory that something hostile has filled. Never fails, and never takes long: what takes long is removed
 * behind the caller, and what resists stays on disk.
 */
export async function removeTree(directory: string, options: Removal = {}): Promise<void> {
  const { patience_ms = PATIENCE_MS, program = Bun.which("rm") } = options;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patience_ms);
  await Promise.race([removeSteadily(directory, program), promise]);
  clearTimeout(timer);
}

/**
 * By programs that walk by descriptor, so that neither depth, nor names that are no text, nor paths longer than the kernel
 * takes stop them; both leave alone what a link leads to. A machine without them, or that can start no more, does it here.
 */
async function removeSteadily(directory: string, program: string | null): Promise<void> {
  const remove = () => ran(program, ["-rf", "--", directory]);
  if (!(await remove())) return await rm(directory, { recursive: true, force: true }).catch(ignored);
  if (!existsSync(directory)) return;
  await ran(Bun.which("chmod"), ["-R", "u+rwX", "--", directory]);
  await remove();
}

/** What resists stays. */
const ignored = () => undefined;

/** False when it could not be started. It goes on when this process ends, and keeps this process from nothing. */
async function ran(program: string | null, args: readonly string[]): Promise<boolean> {
  if (program === null) return false;
  try {
    const child = Bun.spawn([program, ...args], {
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
      timeout: DEADLINE_MS,
    });
    child.unref();
    await child.exited;
    return true;
  } catch {
    return false;
  }
}
