import { cleanLine, cleanText } from "./clean-text.ts";

/** Share of a cut text that is its head. */
const HEAD = 0.6;

/** Characters of one line of an answer or output. */
export const LINE_CHARS = 400;

/** Cleaning drops characters: this many times the limit is looked at, never the whole of a huge text. */
const LOOK_AHEAD = 2;

/** Stands where the middle of a text was left out; the same words everywhere. */
const LEFT_OUT = "⟨middle left out⟩";

/** Head and tail of a text, `limit` characters and a note between them; the text itself when it fits. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * HEAD);
  const tail = limit - head;
  const end = tail === 0 ? "" : text.slice(-tail);
  return `${text.slice(0, head)} ${LEFT_OUT} ${end}`.toWellFormed();
}

/** One clean line of at most about `limit` characters, whatever the size of `text`. */
export function clipLine(text: string, limit: number): string {
  return clip(cleanLine(bounded(text, limit, " ")), limit);
}

export interface Clipped {
  readonly lines: readonly string[];
  readonly cut: boolean;
}

/** Clean lines of at most `bytes` bytes together: the head's 60% and the tail's 40%, a note between them. */
export function clipLines(text: string, bytes: number): Clipped {
  const lines = cleanText(bounded(text, bytes, "\n"))
    .trim()
    .split("\n")
    .map((line) => clip(line.trimEnd(), LINE_CHARS));
  const cutBefore = text.length > bytes * 2 * LOOK_AHEAD;
  const head = take(lines, bytes * HEAD);
  if (head.length === lines.length && !cutBefore) return { lines, cut: false };
  const rest = lines.slice(head.length);
  const fits = take(lines, bytes).length === lines.length && !cutBefore;
  if (fits) return { lines, cut: false };
  const tail = take(rest.reverse(), bytes * (1 - HEAD)).reverse();
  return { lines: [...head, LEFT_OUT, ...tail], cut: true };
}

/** As many of the first lines as fit. */
function take(lines: readonly string[], bytes: number): string[] {
  let left = bytes;
  const end = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1;
    return left < 0;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}

/** Head and tail that hold all of what a clip to `limit` can show; the text itself when it is short. */
export function bounded(text: string, limit: number, joint: string): string {
  const reach = Math.ceil(limit * LOOK_AHEAD);
  return text.length <= reach * 2 ? text : text.slice(0, reach) + joint + text.slice(-reach);
}
