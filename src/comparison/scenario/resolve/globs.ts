import { cut } from "../../../domain/excerpt.ts";
import { wordsOf } from "../../../domain/failure.ts";
import { GLOB_CHARS, globFault } from "../../../domain/path-glob.ts";
import { regexOf } from "../../../domain/regex-of.ts";
import { OverLimit } from "../../../runtime/bounded.ts";
import { compilePattern } from "../../../runtime/pattern.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";

/** Adds what is wrong with globs on paths of the workspace. */
export const checkPathGlobs = (problems: Problems, list: FieldPath, globs: readonly string[] = []): void =>
  checkEach(problems, list, globs, pathGlobFault);

/** Adds what is wrong with globs on commands. */
export const checkCommandGlobs = (problems: Problems, list: FieldPath, globs: readonly string[] = []): void =>
  checkEach(problems, list, globs, commandGlobFault);

function checkEach(
  problems: Problems,
  list: FieldPath,
  globs: readonly string[],
  faultOf: (glob: string) => string | null,
): void {
  for (const [index, glob] of globs.entries()) {
    const fault = faultOf(glob);
    if (fault !== null) problems.add([...list, index], fault);
  }
}

/** Why a glob on commands is a mistake; null when it is none. */
export function commandGlobFault(glob: string): string | null {
  if (glob.trim() === "") return "an empty rule matches nothing; remove it";
  return glob.length > GLOB_CHARS ? `is longer than ${GLOB_CHARS} characters` : null;
}

/** Why a glob on paths is a mistake; null when it is none. */
export function pathGlobFault(glob: string): string | null {
  if (glob.trim() === "") return "an empty glob matches nothing; remove it";
  if (glob.startsWith("/")) return `"${glob}" is absolute; write it relative to the workspace, without the first slash`;
  if (glob.startsWith("!")) return `"${glob}" is a negation, which is not supported; list what shall match`;
  if (glob.split("/").includes("..")) return `"${glob}" leaves the workspace; \`..\` matches nothing there`;
  if (glob.endsWith("/")) return `"${glob}" matches no file; for everything in a directory write "${glob}**"`;
  return globFault(glob);
}

/** Characters. A longer one is never compiled: a megabyte would take seconds. */
export const MAX_PATTERN = 1_000;

/** `/regex/` must compile in RE2, which matches in linear time, and must not be too dear for the longest answer. */
export function checkPattern(problems: Problems, path: FieldPath, text: string): void {
  if (text.length > MAX_PATTERN) problems.add(path, `is longer than ${MAX_PATTERN} characters`);
  const regex = text.length > MAX_PATTERN ? null : regexOf(text);
  const fault = regex === null ? null : regexFault(regex);
  if (fault !== null) problems.add(path, `${cut(text)} ${fault}`);
}

function regexFault(source: string): string | null {
  const none = "is not a regular expression (RE2 syntax)";
  if (source === "") return `${none}: it is empty and would match everything`;
  try {
    compilePattern(source);
    return null;
  } catch (error) {
    if (error instanceof OverLimit) return `is too dear: it ${error.message}`;
    // RE2 throws its own errors, all of them about the pattern.
    return `${none}: ${wordsOf(error).replace(/^error parsing regexp: /, "")}`;
  }
}
