import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a directory that something hostile has filled. Never fails: what resists stays on disk. */
export async function removeTree(directory: string): Promise<void> {
  if (await isRemoved(directory)) return;
  openUp(directory);
  if (await isRemoved(directory)) return;
  // `rm` walks by descriptor, so that paths longer than the kernel takes do not stop it. It follows no link.
  await Bun.spawn(["/bin/rm", "-rf", "--", directory], { env: {}, stdio: ["ignore", "ignore", "ignore"] }).exited;
}

async function isRemoved(directory: string): Promise<boolean> {
  try {
    await rm(directory, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** Makes directories of mode 000 our own again. */
function openUp(directory: string): void {
  const pending = [directory];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      if (!lstatSync(next).isDirectory()) continue;
      chmodSync(next, 0o700);
      for (const entry of readdirSync(next, { withFileTypes: true }))
        if (entry.isDirectory()) pending.push(join(next, entry.name));
    } catch {
      // Its name is not text, or its path too long: left to what comes next.
    }
  }
}
