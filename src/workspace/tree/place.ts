import { chownSync, lchownSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { Sandbox } from "../workspace.ts";

export interface PlacedFile {
  readonly path: string;
  readonly bytes: string | Uint8Array;
  readonly mode: number;
}

/**
 * Puts a file where it belongs whatever stands in the way: links, files in the place of directories and the reverse give
 * way, and nothing is ever written through a link. The path is trusted not to climb.
 */
export function place(root: string, file: PlacedFile, owner: Sandbox["owner"]): void {
  const target = clearedPath(root, file.path, owner);
  writeFileSync(target, file.bytes, { flag: "wx", mode: file.mode });
  if (owner) chownSync(target, owner.uid, owner.gid);
}

/** As `place`, for a link. */
export function placeLink(root: string, path: string, target: Buffer, owner: Sandbox["owner"]): void {
  const link = clearedPath(root, path, owner);
  symlinkSync(target, link);
  if (owner) lchownSync(link, owner.uid, owner.gid);
}

/** Where nothing stands any more, in a real directory. */
function clearedPath(root: string, path: string, owner: Sandbox["owner"]): string {
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
