import { chmodSync, chownSync, lchownSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import type { Owner } from "../../sandbox/sandbox.ts";

interface PlacedFile {
  readonly path: string;
  readonly bytes: string | Uint8Array;
  readonly mode: number;
}

/**
 * Writes a file, whatever stands in the way: links go, and so do files in the place of directories and directories in
 * the place of files. Nothing is written through a link. The path must not climb.
 */
export function place(root: string, file: PlacedFile, owner: Owner | null): void {
  const target = clearedPath(root, file.path, owner);
  writeFileSync(target, file.bytes, { flag: "wx", mode: file.mode });
  if (owner) chownSync(target, owner.uid, owner.gid);
}

/** As `place`, for a link. */
export function placeLink(root: string, path: string, target: Buffer, owner: Owner | null): void {
  const link = clearedPath(root, path, owner);
  symlinkSync(target, link);
  if (owner) lchownSync(link, owner.uid, owner.gid);
}

/** Removes what stands at the path, and makes its parents real directories. */
function clearedPath(root: string, path: string, owner: Owner | null): string {
  const steps = safeSteps(path);
  let parent = root;
  for (const step of steps.slice(0, -1)) {
    parent = join(parent, step);
    if (lstatSync(parent, { throwIfNoEntry: false })?.isDirectory()) continue;
    rmSync(parent, { force: true });
    mkdirSync(parent, { mode: 0o755 });
    if (owner) chownSync(parent, owner.uid, owner.gid);
  }
  const target = join(parent, steps.at(-1) ?? "");
  rmSync(target, { recursive: true, force: true });
  return target;
}

/** @throws Failure `workspace_failed` when the path leads out of a workspace. */
export function safeSteps(path: string): readonly string[] {
  const steps = path.split("/").filter((step) => step !== "" && step !== ".");
  if (path.startsWith("/") || steps.length === 0 || steps.includes("..") || path.includes("\0"))
    throw new Failure("workspace_failed", `${path}: not a path inside a workspace`);
  return steps;
}

/** Lets the owner list, enter and fill the directory of a workspace again, whatever a command did to it. */
export function reopenRoot(root: string, owner: Owner | null): void {
  const entry = lstatSync(root, { throwIfNoEntry: false });
  if (entry?.isDirectory()) {
    if ((entry.mode & 0o700) !== 0o700) chmodSync(root, 0o700);
    return;
  }
  // Only a command without a sandbox can remove the directory itself.
  rmSync(root, { force: true });
  mkdirSync(root, { recursive: true, mode: 0o700 });
  if (owner) chownSync(root, owner.uid, owner.gid);
}
