import { rm } from "node:fs/promises";

/** Removes a directory that something hostile has filled. Never fails: what resists stays on disk. */
export async function removeTree(directory: string): Promise<void> {
  if (await isRemoved(directory)) return;
  // Both walk by descriptor, so that neither names that are no text nor paths longer than the kernel takes stop them,
  // and both leave alone what a link leads to.
  await quietly(["/bin/chmod", "-R", "u+rwX", "--", directory]);
  await quietly(["/bin/rm", "-rf", "--", directory]);
}

const quietly = (command: string[]) => Bun.spawn(command, { env: {}, stdio: ["ignore", "ignore", "ignore"] }).exited;

async function isRemoved(directory: string): Promise<boolean> {
  try {
    await rm(directory, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
