import { chownSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
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
  const steps = safeSteps(file.path);
  for (const depth of steps.keys()) {
    const step = join(root, ...steps.slice(0, depth + 1));
    if (depth === steps.length - 1) break;
    if (lstatSync(step, { throwIfNoEntry: false })?.isDirectory()) continue;
    rmSync(step, { force: true });
    mkdirSync(step, { mode: 0o755 });
    if (owner) chownSync(step, owner.uid, owner.gid);
  }
  const target = join(root, ...steps);
  rmSync(target, { recursive: true, force: true });
  writeFileSync(target, file.bytes, { flag: "wx", mode: file.mode });
  if (owner) chownSync(target, owner.uid, owner.gid);
}

/** Takes away whatever stands at a path; links on the way to it are not followed. */
export function displace(root: string, path: string): void {
  const steps = safeSteps(path);
  const parents = steps.slice(0, -1).map((_, depth) => join(root, ...steps.slice(0, depth + 1)));
  const real = parents.every((parent) => lstatSync(parent, { throwIfNoEntry: false })?.isDirectory());
  if (real) rmSync(join(root, ...steps), { recursive: true, force: true });
}

function safeSteps(path: string): readonly string[] {
  const steps = path.split("/").filter((step) => step !== "" && step !== ".");
  if (path.startsWith("/") || steps.length === 0 || steps.includes("..") || path.includes("\0"))
    throw new Failure("workspace_failed", `${path}: not a path inside a workspace`);
  return steps;
}
