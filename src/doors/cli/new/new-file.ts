import { existsSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { NewFile } from "../../../comparison/scenario/make-scenario.ts";
import { Unusable } from "../../../comparison/scenario/unusable.ts";
import { errorCode, Failure } from "../../../domain/failure.ts";
import { SLUG_PATTERN } from "../../../domain/schema.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import { reasonsOf } from "./stage-draft.ts";

/** @throws UsageError for a name that is none, and for one that is taken */
export function newFileAt(file: string): NewFile {
  const ending = extname(file);
  const name = basename(file, ending);
  if (!new RegExp(SLUG_PATTERN).test(name))
    throw new UsageError(`--new ${file}: "${name}" is no name of a scenario; use letters, digits, ".", "_" and "-"`);
  const directory = resolve(dirname(file));
  const target = { file, name, directory, material: join(directory, name) };
  for (const path of [file, target.material])
    if (existsSync(path)) throw new UsageError(`--new ${file}: ${path} exists, and nothing is overwritten`);
  return target;
}

/** @throws UsageError that names the subject, for what cannot be read, made or written */
export async function usable<T>(subject: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof Unusable) throw new UsageError(`${subject}: ${error.message}`);
    if (error instanceof Failure && error.code === "invalid_scenario")
      throw new UsageError(`${subject}: cannot be made: ${reasonsOf(error)}`);
    const code = errorCode(error);
    if (code?.startsWith("E")) throw new UsageError(`${subject}: cannot be written (${code})`);
    throw error;
  }
}
