import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import type { Sandbox } from "../workspace.ts";

/** Whatever a command did to the directory of a workspace: it stands again, and its owner may list, enter and fill it. */
export function stand(root: string, owner: Sandbox["owner"]): void {
  const entry = lstatSync(root, { throwIfNoEntry: false });
  if (entry?.isDirectory()) {
    if ((entry.mode & 0o700) !== 0o700) chmodSync(root, 0o700);
    return;
  }
  // Only a command without a sandbox can take the directory itself away.
  rmSync(root, { force: true });
  mkdirSync(root, { recursive: true, mode: 0o700 });
  if (owner) chownSync(root, owner.uid, owner.gid);
}
