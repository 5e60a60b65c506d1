import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

/**
 * The first executable file of that name in the directories of a PATH; null without one.
 * @param path default: the one of this process
 */
export function findProgram(name: string, path: string = process.env["PATH"] ?? ""): string | null {
  // An empty entry means the current directory to a shell; a scenario's author may have filled that.
  const directories = path.split(delimiter).filter((directory) => directory !== "");
  return directories.map((directory) => resolve(directory, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
