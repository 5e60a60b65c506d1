import { RE2JS } from "re2js";
import { type Bounded, OverLimit, Steps } from "./bounded.ts";
import { inChild } from "./child-work.ts";

const MOST_CHARS = 4_000;

/** Instructions of a pattern's program: with as many, one is found in the longest answer within `MOST_STEPS`. */
const MOST_INSTRUCTIONS = 2_500;

/** Instructions times characters: about 4 s for the slowest patterns. RE2's time is linear in the text and in the pattern. */
const MOST_STEPS = 500_000_000;

/**
 * Instructions times characters of what may hold the event loop: 30 ms for the slowest patterns, where every character costs as
 * much as the program is long.
 */
export const STEPS_AT_ONCE = 1_000_000;

/** What a rough count may exceed the instructions by. */
const ROUGHLY = 4;

/**
 * A regular expression in RE2's syntax.
 * @throws OverLimit before it takes long to compile; what RE2 says of a pattern that is none
 */
export function compilePattern(source: string, flags = 0, most = MOST_INSTRUCTIONS): RE2JS {
  const tooMany = (found: number) =>
    new OverLimit(
      `takes ${found.toLocaleString("en")} instructions, more than ${most.toLocaleString("en")}; repeat less`,
    );
  if (source.length > MOST_CHARS) throw new OverLimit(`takes more than ${MOST_CHARS.toLocaleString("en")} characters`);
  const rough = roughSize(source);
  if (rough > ROUGHLY * most) throw tooMany(rough);
  const compiled = RE2JS.compile(source, flags);
  if (compiled.programSize() > most) throw tooMany(compiled.programSize());
  return compiled;
}

/** The instructions of a pattern, counted without compiling it: what is repeated counts as often. */
function roughSize(source: string): number {
  const open: number[] = [];
  let [sum, last] = [0, 0];
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (least !== undefined) last *= Math.max(1, Number(most || least));
    else if (token === ")") [sum, last] = [open.pop() ?? 0, sum + last + 2];
    else {
      sum += last;
      last = 1;
      if (token !== "(") continue;
      open.push(sum);
      [sum, last] = [0, 0];
    }
  }
  return open.reduce((total, one) => total + one, sum + last);
}

/** An escaped character, a class, `{least,most}`, or any other character. */
const TOKEN = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gs;

/** What is looked for in a text. */
interface Sought {
  readonly source: string;
  readonly text: string;
}

/**
 * Whether the pattern is anywhere in the text; `^` and `$` mean a line's. Long work is done in a process of its own.
 * @throws the signal's reason when it fires
 */
export async function findPattern(sought: Sought, signal: AbortSignal): Promise<Bounded<boolean>> {
  try {
    const compiled = compilePattern(sought.source, RE2JS.MULTILINE);
    const steps = compiled.programSize() * sought.text.length;
    new Steps(MOST_STEPS).take(steps);
    if (steps <= STEPS_AT_ONCE) return { value: compiled.matcher(sought.text).find() };
    return await inChild<boolean>("find-pattern", sought, { signal });
  } catch (error) {
    if (error instanceof OverLimit) return { over: error.message };
    throw error;
  }
}

/** The work of a child. */
export const findHere = ({ source, text }: Sought): boolean =>
  compilePattern(source, RE2JS.MULTILINE).matcher(text).find();
