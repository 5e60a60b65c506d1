import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import type { Sandbox } from "../workspace.ts";

/**
 * Who commands run as when this process is root: a number that no distribution hands out. A sandbox of root's own could
 * reach the kernel's settings, so root never makes one.
 */
export const UNPRIVILEGED = { uid: 60_817, gid: 60_817 };

export const sandboxOwner = (): Sandbox["owner"] => (process.geteuid?.() === 0 ? UNPRIVILEGED : null);

/** Whether `owner` can walk down to `path`; our own user always can. */
export function isReachable(path: string, owner: Sandbox["owner"]): boolean {
  if (!owner) return true;
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    const { uid, mode } = lstatSync(parent);
    if ((mode & (uid === owner.uid ? 0o100 : 0o001)) === 0) return false;
    if (parent === "/") return true;
  }
}

/** The directory for temporary files that `owner` can reach. */
export function scratchRoot(owner: Sandbox["owner"]): string {
  return [tmpdir(), "/tmp", "/var/tmp"].find((path) => isReachable(`${path}/x`, owner)) ?? tmpdir();
}
