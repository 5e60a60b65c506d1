import { RE2JS } from "re2js";

/** `/regex/` or literal text, looked for anywhere in `output`. Linear time whatever the pattern. */
export function outputMatches(pattern: string, output: string): boolean {
  const regex = regexOf(pattern);
  return regex === null ? output.includes(pattern) : RE2JS.compile(regex, RE2JS.MULTILINE).matcher(output).find();
}

const regexOf = (pattern: string) =>
  pattern.length > 2 && pattern.startsWith("/") && pattern.endsWith("/") ? pattern.slice(1, -1) : null;
