import { RE2JS } from "re2js";
import { cut } from "../../../domain/excerpt.ts";
import { wordsOf } from "../../../domain/failure.ts";
import { regexOf } from "../../../domain/regex-of.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";

/** Characters. A longer one is never compiled: a megabyte would take seconds. */
export const MAX_PATTERN = 1_000;

/** `/regex/` must compile in RE2, which matches in linear time. */
export function checkPattern(problems: Problems, path: FieldPath, text: string): void {
  if (text.length > MAX_PATTERN) problems.add(path, `is longer than ${MAX_PATTERN} characters`);
  const regex = text.length > MAX_PATTERN ? null : regexOf(text);
  const fault = regex === null ? null : regexFault(regex);
  if (fault !== null) problems.add(path, `${cut(text)} is not a regular expression (RE2 syntax): ${fault}`);
}

function regexFault(source: string): string | null {
  if (source === "") return "it is empty and would match everything";
  try {
    RE2JS.compile(source);
    return null;
  } catch (error) {
    // RE2 throws its own errors, all of them about the pattern.
    return wordsOf(error).replace(/^error parsing regexp: /, "");
  }
}
