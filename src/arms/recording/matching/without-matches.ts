import type { RE2JS } from "re2js";
import type { Pace } from "../../../runtime/pace.ts";

/** Characters that one step looks at, times the size of the pattern's program. */
const STEP_WORK = 1_000_000;
const SHORTEST_STEP = 4_096;
const LONGEST_STEP = 16_384;

/** Bytes that are compared in the time in which a pattern reads a character. */
const CHAR_COST = 256;

const IGNORED = "<ignored>";

/**
 * A text with a word in place of each match of a pattern. The event loop runs while a long text is read: a match of more than half a
 * step may then end earlier than it would in one piece.
 */
export async function withoutMatches(text: string, pattern: RE2JS, pace: Pace): Promise<string> {
  let [told, kept, from, broken] = ["", 0, 0, -1];
  for (;;) {
    const { end, border } = stretchFrom(from, text.length, pattern);
    for (const match of matchesIn(text, pattern, { from, border, end })) {
      // What the end of a step broke in two is one match.
      if (match.at !== broken) told += text.slice(kept, match.at) + IGNORED;
      kept = match.end;
    }
    broken = kept === end ? end : -1;
    await pace.bytes(CHAR_COST * (end - from));
    if (end === text.length) return told + text.slice(kept);
    from = beginOfCharacter(text, Math.max(kept, border));
  }
}

interface Stretch {
  readonly from: number;
  /** Matches begin before it. */
  readonly border: number;
  readonly end: number;
}

function stretchFrom(from: number, length: number, pattern: RE2JS): Stretch {
  const chars = Math.floor(STEP_WORK / pattern.programSize());
  const step = Math.min(LONGEST_STEP, Math.max(SHORTEST_STEP, chars));
  const isLast = from + step >= length;
  return { from, border: isLast ? length + 1 : from + step / 2, end: Math.min(length, from + step) };
}

const beginOfCharacter = (text: string, at: number) => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at);

function* matchesIn(text: string, pattern: RE2JS, { from, border, end }: Stretch) {
  // One character before tells the beginning of a line or a word.
  const start = Math.max(0, from - 1);
  const matcher = pattern.matcher(text.slice(start, end));
  for (let found = matcher.find(from - start); found; found = matcher.find()) {
    const at = start + matcher.start();
    if (at >= border) return;
    yield { at, end: start + matcher.end() };
  }
}
