import { lstatSync, realpathSync } from "node:fs";
import { join, posix } from "node:path";
import { errorCode, Mistake } from "../../domain/failure.ts";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";

/** Characters of a path that Linux takes; every step of one is looked at. */
const MAX_PATH_CHARS = 4_096;

/**
 * A path as a model writes it, relative to its workspace: `./a`, `b/../a` and the absolute `/workspace/a` are all `a`.
 * The workspace itself is the empty path. @throws Mistake when it climbs out.
 * @param at where the workspace is mounted
 */
export function workspacePath(path: string, at: string = WORKSPACE_AT): string {
  if (path.length > MAX_PATH_CHARS) throw new Mistake(`The path has ${path.length} characters; no file has so many.`);
  if (path.includes("\0")) throw new Mistake("The path contains a NUL character.");
  const relative = path === at ? "" : path.startsWith(`${at}/`) ? path.slice(at.length + 1) : path;
  const normal = posix.normalize(relative === "" ? "." : relative).replace(/\/$/, "");
  if (normal.startsWith("/") || normal === ".." || normal.startsWith("../")) throw outside(path);
  return normal === "." ? "" : normal;
}

/**
 * Where a path leads on disk, its links followed. The last steps may be absent.
 * @param named the path to name in a mistake, when the model wrote another
 * @throws Mistake when it leads out of the workspace, or through something that is no directory.
 */
export function locate(root: string, path: string, named: string = path): string {
  const relative = workspacePath(path);
  const steps = relative === "" ? [] : relative.split("/");
  const realRoot = realpathSync(root);
  let existing = steps.length;
  while (existing > 0 && !exists(join(root, ...steps.slice(0, existing)), named)) existing -= 1;
  const real = follow(join(root, ...steps.slice(0, existing)), named);
  if (real !== realRoot && !real.startsWith(`${realRoot}/`)) throw outside(named);
  return join(real, ...steps.slice(existing));
}

function follow(place: string, path: string): string {
  try {
    return realpathSync(place);
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new Mistake(`${path} is a link that leads nowhere in the workspace.`);
    if (errorCode(error) === "ELOOP") throw new Mistake(`${path} is a link that leads back to itself.`);
    throw new Mistake(`${path} cannot be reached (${errorCode(error)}).`);
  }
}

function exists(place: string, path: string): boolean {
  try {
    lstatSync(place);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw new Mistake(`${path} cannot be reached (${errorCode(error)}).`);
  }
}

const outside = (path: string) =>
  new Mistake(`${path} is outside the workspace. Give a path relative to the workspace, like src/main.ts.`);
