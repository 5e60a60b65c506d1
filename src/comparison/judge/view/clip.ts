import { cleanText } from "./clean-text.ts";
import type { RedactIdentity } from "./identity-redactor.ts";
import { lineBytes } from "./section.ts";

/** The head's share of a cut text. */
const HEAD = 0.6;

/** Characters of one line of an answer or output. */
export const LINE_CHARS = 400;

/** Cleaning drops characters, so that this many times the limit is read, and never the whole of a huge text. */
const LOOK_AHEAD = 2;

/** Stands where the middle of a text was left out. */
export const LEFT_OUT = "⟨middle left out⟩";

/** The text if it has at most `limit` characters; else so many of its head and tail, with a note between them. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * HEAD);
  const tail = limit - head;
  const end = tail === 0 ? "" : text.slice(-tail);
  return `${text.slice(0, head)} ${LEFT_OUT} ${end}`.toWellFormed();
}

/** The lines of a text before it is known how much space they get. */
export interface TextDraft {
  readonly lines: readonly string[];
  /** What showing all lines takes. */
  readonly bytes: number;
  /** The text is so long that its middle is not among the lines. */
  readonly partial: boolean;
  /** Names that were replaced. */
  readonly redactions: number;
}

/** Clean lines of a text; none when nothing is visible. No more of it is read than `limit` bytes can show. */
export function draftText(
  text: string,
  limit: number,
  redact: RedactIdentity = unchanged,
  line_chars = LINE_CHARS,
): TextDraft {
  const looked = bounded(text, limit, `\n${LEFT_OUT}\n`);
  const redacted = redact(cleanText(looked));
  const clean = redacted.text.trim();
  const lines = clean === "" ? [] : clean.split("\n").map((line) => clip(line.trimEnd(), line_chars));
  return measured(lines, looked !== text, redacted.count);
}

const unchanged: RedactIdentity = (text) => ({ text, count: 0 });

export function measured(lines: readonly string[], partial: boolean, redactions = 0): TextDraft {
  return { lines, bytes: lines.reduce((sum, line) => sum + lineBytes(line), 0), partial, redactions };
}

/** How many of the first lines fit into the head's share of `bytes`, and how many of the last into the tail's. */
export function endsThatFit(lines: readonly string[], bytes: number): { readonly head: number; readonly tail: number } {
  const head = take(lines, bytes * HEAD);
  return { head, tail: take(lines.slice(head).reverse(), bytes * (1 - HEAD)) };
}

/** How many of the first lines fit. */
function take(lines: readonly string[], bytes: number): number {
  let left = bytes;
  const end = lines.findIndex((line) => {
    left -= lineBytes(line);
    return left < 0;
  });
  return end === -1 ? lines.length : end;
}

/** Head and tail, long enough for everything that a clip to `limit` can show; the text itself when it is short. */
export function bounded(text: string, limit: number, joint: string): string {
  const reach = Math.ceil(limit * LOOK_AHEAD);
  return text.length <= reach * 2 ? text : text.slice(0, reach) + joint + text.slice(-reach);
}
