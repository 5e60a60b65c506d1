import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Unusable, unusable } from "./unusable.ts";

export type PathKind = "file" | "directory" | "either";

/**
 * The real absolute path of something below `root`, every link followed.
 * @throws Unusable when it is absent, of another kind, or not below `root`, whether by `..` or by a link.
 */
export async function confinedPath(root: string, path: string, kind: PathKind): Promise<string> {
  if (path.includes("\0")) throw new Unusable("is not a path");
  if (isAbsolute(path)) throw new Unusable("must be relative to the scenario file");
  if (!isBelow(root, resolve(root, path))) throw new Unusable("is not inside the scenarios directory");
  const real = await realpath(resolve(root, path)).catch((error: unknown) => Promise.reject(unusable(error)));
  if (!isBelow(await realpath(root), real)) throw new Unusable("leads out of the scenarios directory through a link");
  const stats = await stat(real);
  const isKind = {
    file: stats.isFile(),
    directory: stats.isDirectory(),
    either: stats.isFile() || stats.isDirectory(),
  };
  if (!isKind[kind]) throw new Unusable(kind === "either" ? "is no file and no directory" : `is not a ${kind}`);
  return real;
}

/** Whether `path` lies in `root`, itself excluded; both absolute. */
export function isBelow(root: string, path: string): boolean {
  const steps = relative(root, path);
  return steps !== "" && steps !== ".." && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

/** Why a path cannot name a file of a workspace; null when it can. */
export function workspacePathFault(path: string): string | null {
  if (path === "") return "must not be empty";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "must be relative";
  if (path.includes("\\") || path.includes("\0")) return "must use forward slashes only";
  const steps = path.split("/");
  if (steps.includes("..")) return "must not contain `..`";
  return steps.some((step) => step === "" || step === ".") ? "must not contain empty or `.` steps" : null;
}
