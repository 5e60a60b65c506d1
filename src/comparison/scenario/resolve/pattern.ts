import { cut } from "../../../domain/excerpt.ts";
import { wordsOf } from "../../../domain/failure.ts";
import { regexOf } from "../../../domain/regex-of.ts";
import { OverLimit } from "../../../runtime/bounded.ts";
import { compilePattern } from "../../../runtime/pattern.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";

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
