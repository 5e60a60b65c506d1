import type { UnwrappedOutput } from "./recipe.ts";

/** Outputs are hostile and long: everything here takes linear time. */

/** The text as it is, without an exit code. */
export const outputAsItIs = (_tool: string, output: string): UnwrappedOutput => ({ output, exit_code: null });

/** Takes out every `<tag>...</tag>` with what is in it. */
export function withoutBlocks(text: string, tag: string): string {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const from = text.indexOf(open, at);
    const to = from < 0 ? -1 : text.indexOf(close, from);
    if (to < 0) break;
    kept.push(text.slice(at, from));
    at = to + close.length;
  }
  return at === 0 ? text : (kept.join("") + text.slice(at)).trimEnd();
}

/** Takes out the marks `<tag>` and `</tag>` and keeps what is between them. */
export const withoutMarks = (text: string, tag: string): string =>
  text.replaceAll(`<${tag}>`, "").replaceAll(`</${tag}>`, "");

/** A whole number at the start of the text, as an exit code. */
export function exitCodeAt(text: string): number | null {
  const digits = /^-?\d{1,10}/.exec(text)?.[0];
  return digits === undefined ? null : Number(digits);
}

/** Lines of this many characters at most stand around an output. */
const HEADER_CHARS = 200;
const HEADER_LINES = 12;
const OUTPUT = "Output:";

/**
 * An output below lines of `Name: value`, of which the last is `Output:`. Null when the text does not begin so. The values
 * are by name.
 */
export function belowHeader(
  text: string,
  names: readonly string[],
): { readonly values: ReadonlyMap<string, string>; readonly body: string } | null {
  const values = new Map<string, string>();
  let at = 0;
  for (let line = 0; line < HEADER_LINES; line += 1) {
    if (text.startsWith(OUTPUT, at)) return { values, body: text.slice(at + OUTPUT.length).replace(/^ ?\n?/, "") };
    const end = text.indexOf("\n", at);
    const header = text.slice(at, Math.min(end < 0 ? text.length : end, at + HEADER_CHARS));
    const name = names.find((candidate) => header.startsWith(candidate));
    if (name === undefined || end < 0) return null;
    values.set(name, header.slice(name.length).trim());
    at = end + 1;
  }
  return null;
}
