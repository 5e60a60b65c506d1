import { existsSync } from "node:fs";

/** Milliseconds that whoever removes a tree waits for it; what takes longer goes on behind. */
const PATIENCE_MS = 2_000;

/** Milliseconds after which a removal is given up. */
const DEADLINE_MS = 60_000;

/**
 * Removes a directory that something hostile has filled. Never fails, and never takes long: what takes long is removed
 * behind the caller, and what resists stays on disk.
 */
export async function removeTree(directory: string, patience_ms: number = PATIENCE_MS): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patience_ms);
  await Promise.race([removeSteadily(directory), promise]);
  clearTimeout(timer);
}

/**
 * By programs that walk by descriptor, so that neither depth, nor names that are no text, nor paths longer than the kernel
 * takes stop them; both leave alone what a link leads to.
 */
async function removeSteadily(directory: string): Promise<void> {
  await quietly(["/bin/rm", "-rf", "--", directory]);
  if (!existsSync(directory)) return;
  await quietly(["/bin/chmod", "-R", "u+rwX", "--", directory]);
  await quietly(["/bin/rm", "-rf", "--", directory]);
}

/** It goes on when this process ends, and keeps this process from nothing. */
async function quietly(command: string[]): Promise<void> {
  const child = Bun.spawn(command, {
    env: {},
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
    timeout: DEADLINE_MS,
  });
  child.unref();
  await child.exited;
}
