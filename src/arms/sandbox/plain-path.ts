import { lstatSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";

/** Whether `path`, relative to `directory`, is a file or a directory in it, and no link leads to it. */
export function isPlainPath(directory: string, path: string): boolean {
  if (path === "" || isAbsolute(path) || normalize(path) !== path || path.includes("\0")) return false;
  const names = path.split("/");
  if (names.some((name) => name === ".." || name === "." || name === "")) return false;
  return names.every((_, index) => {
    const isLast = index === names.length - 1;
    const entry = entryAt(join(directory, ...names.slice(0, index + 1)));
    return entry?.isDirectory() === true || (isLast && entry?.isFile() === true);
  });
}

/** Undefined also for what nobody can look at. */
function entryAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
