import { Mistake } from "./failure.ts";
import { type FilePatch, LINES_OF_UNIT, type PatchHunk, pathOfPatch } from "./patch.ts";

/** Lines that may be compared in search of where the hunks of one patch fit. A real one fits where it says, or nearly. */
const MOST_COMPARED = 20_000_000;

/** What the files of one patch may still take. */
export class PatchEffort {
  readonly #most: number;
  #spent = 0;
  #done = 0;
  /** The file that is worked on, for the message. */
  path = "";

  constructor(most = MOST_COMPARED) {
    this.#most = most;
  }

  /** @throws Mistake when too much was compared */
  spend(lines: number): void {
    this.#spent += lines;
    this.#done += lines;
    if (this.#spent > this.#most)
      throw new Mistake(
        `${this.path}: where its hunks fit is not found within ${this.#most.toLocaleString("en")} comparisons of lines; make the patch again from this version of the file.`,
      );
  }

  /** Units of work since the last call. */
  units(): number {
    const units = this.#done / LINES_OF_UNIT;
    this.#done = 0;
    return units;
  }
}

/**
 * The text of a file with a patch, as git applies it: each hunk at its line, or else where it fits nearest to there, behind the
 * hunk before it. Every line that a hunk names must be there exactly. Yields units of work, after which others may have a turn.
 * @throws Mistake naming the hunk that does not apply
 */
export function* applyingPatch(text: string, file: FilePatch, effort: PatchEffort): Generator<number, string> {
  const [path, { hunks }] = [pathOfPatch(file), file];
  effort.path = path;
  const last = hunks.at(-1);
  if (last === undefined) return text;
  const end = endsOf(last, text);
  if (end === undefined) throw unfit(path, last, hunks);
  const lines = yield* splitting(text + end.brought, end.taken);
  const parts: string[] = [];
  let [next, offset] = [0, 0];
  for (const hunk of hunks) {
    const { old, replaced, by } = yield* sidesOf(hunk);
    const at = yield* placing({ lines, old, from: next, expected: hunk.oldStart - 1 + offset }, effort);
    if (at === undefined) throw unfit(path, hunk, hunks);
    if (at > next) parts.push(lines.text(next, at));
    for (const line of by) parts.push(line);
    [next, offset] = [at + replaced, at + 1 - hunk.oldStart];
  }
  if (next < lines.count) parts.push(lines.text(next, lines.count));
  return parts.join("\n");
}

function unfit(path: string, hunk: PatchHunk, hunks: readonly PatchHunk[]): Mistake {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  // A hunk without lines on a side names the line before.
  const [old, now] = [oldLines === 0 ? oldStart - 1 : oldStart, newLines === 0 ? newStart - 1 : newStart];
  const place = `hunk ${hunks.indexOf(hunk) + 1} of ${hunks.length} (@@ -${old},${oldLines} +${now},${newLines} @@)`;
  return new Mistake(`${path}: ${place} does not apply.`);
}

/** What the last hunk says of the end of a file. */
interface FileEnd {
  /** The line end that it adds. */
  readonly brought: string;
  /** It takes the line end of the last line off. */
  readonly taken: boolean;
}

/** Undefined when the text has not the end that the hunk says. */
function endsOf({ lines }: PatchHunk, text: string): FileEnd | undefined {
  let [before, after] = [false, false];
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("\\")) continue;
    before ||= lines[index - 1]?.startsWith("-") === true;
    after ||= lines[index - 1]?.startsWith("+") === true;
  }
  const isEnded = text === "" || text.endsWith("\n");
  if ((before || after) && isEnded === before) return undefined;
  return { brought: before && !after ? "\n" : "", taken: after && !before };
}

interface HunkSides {
  /** All lines that it names of the old text. */
  readonly old: readonly string[];
  /** How many of them are replaced: other hunks may begin in what follows the last change. */
  readonly replaced: number;
  /** What comes there, some lines in each. */
  readonly by: readonly string[];
}

function* sidesOf({ lines }: PatchHunk): Generator<number, HunkSides> {
  const end = lines.findLastIndex((line) => line.startsWith("+") || line.startsWith("-")) + 1;
  const [old, added, by]: [string[], string[], string[]] = [[], [], []];
  let replaced = 0;
  for (const [index, line] of lines.entries()) {
    const [sign, text] = [line.charAt(0), line.slice(1)];
    if (isIn("-", sign)) old.push(text);
    if (index < end) replaced = old.length;
    if (index < end && isIn("+", sign)) added.push(text);
    if ((index + 1) % LINES_OF_UNIT !== 0) continue;
    by.push(...together(added));
    // Before the program is warm that takes several times as long as to compare them.
    yield 4;
  }
  return { old, replaced, by: [...by, ...together(added)] };
}

/** Takes the lines out, as one text; none where there are none. */
const together = (lines: string[]): string[] => (lines.length > 0 ? [lines.splice(0).join("\n")] : []);

/** Whether a line of a hunk is one of the text before (-) or after (+). */
const isIn = (side: "-" | "+", sign: string) => sign === side || sign === " " || sign === "";

/** Where the lines of a text begin. A text of millions of lines takes no object for each. */
class TextLines {
  readonly #text: string;
  /** One more than there are lines: where the next one would begin. */
  readonly #starts: Uint32Array;
  readonly count: number;

  constructor(text: string, starts: Uint32Array, count: number) {
    this.#text = text;
    this.#starts = starts;
    this.count = count;
  }

  /** The lines from one up to, not with, another. */
  text(from: number, to: number): string {
    return this.#text.slice(this.#starts[from], (this.#starts[to] ?? 0) - 1);
  }

  is(line: number, text: string): boolean {
    const [start = 0, next = 0] = [this.#starts[line], this.#starts[line + 1]];
    return next - 1 - start === text.length && this.#text.startsWith(text, start);
  }
}

/** @param taken without what follows the last line end */
function* splitting(text: string, taken: boolean): Generator<number, TextLines> {
  let starts = new Uint32Array(1_024);
  let count = 1;
  for (let end = text.indexOf("\n"); ; end = text.indexOf("\n", end + 1)) {
    if (count === starts.length) {
      const more = new Uint32Array(2 * count);
      more.set(starts);
      starts = more;
    }
    starts[count] = (end === -1 ? text.length : end) + 1;
    if (end === -1) break;
    count += 1;
    // That takes a fraction of what the comparison of a line does.
    if (count % (4 * LINES_OF_UNIT) === 0) yield 1;
  }
  return new TextLines(text, starts, taken ? count - 1 : count);
}

interface Sought {
  readonly lines: TextLines;
  readonly old: readonly string[];
  /** The first line that no hunk before it has taken. */
  readonly from: number;
  /** Where the hunk says that it stands. */
  readonly expected: number;
}

/** Where a hunk fits; undefined when nowhere. */
function* placing(sought: Sought, effort: PatchEffort): Generator<number, number | undefined> {
  const { lines, old, from, expected } = sought;
  const isWithin = expected >= from && expected + old.length <= lines.count;
  if (isWithin && (yield* fitting(sought, effort))) return expected;
  return old.length === 0 ? undefined : yield* searching(sought, effort);
}

function* fitting({ lines, old, expected }: Sought, effort: PatchEffort): Generator<number, boolean> {
  for (const [index, line] of old.entries()) {
    if (index % LINES_OF_UNIT === 0) {
      effort.spend(Math.min(LINES_OF_UNIT, old.length - index));
      yield effort.units();
    }
    if (!lines.is(expected + index, line)) return false;
  }
  return true;
}

/**
 * The nearest place, the one behind when two are as near. It takes time in proportion to the lines of both, however much these
 * repeat each other: after a difference no line is looked at again that is known to be equal (Knuth, Morris and Pratt, 1977).
 */
function* searching(
  { lines, old, from, expected }: Sought,
  effort: PatchEffort,
): Generator<number, number | undefined> {
  const back = yield* repeating(old, effort);
  let nearest: number | undefined;
  let equal = 0;
  for (let line = from; line < lines.count; line += 1) {
    effort.spend(1);
    if ((line - from) % LINES_OF_UNIT === 0) yield effort.units();
    equal = grown(equal, back, (count) => lines.is(line, old[count] ?? ""));
    if (equal < old.length) continue;
    const at = line - old.length + 1;
    if (nearest === undefined || Math.abs(at - expected) <= Math.abs(nearest - expected)) nearest = at;
    if (at >= expected) break;
    equal = back[equal - 1] ?? 0;
  }
  return nearest;
}

/** For each line, how many lines up to it are also the first ones. */
function* repeating(old: readonly string[], effort: PatchEffort): Generator<number, Uint32Array> {
  const back = new Uint32Array(old.length);
  let equal = 0;
  for (const [index, line] of old.entries()) {
    effort.spend(1);
    if (index % LINES_OF_UNIT === 0) yield effort.units();
    equal = index === 0 ? 0 : grown(equal, back, (count) => line === old[count]);
    back[index] = equal;
  }
  return back;
}

/** How many of the first lines are equal up to the next line, where so many were up to the line before it. */
function grown(before: number, back: Uint32Array, isNext: (count: number) => boolean): number {
  let equal = before;
  while (equal > 0 && !isNext(equal)) equal = back[equal - 1] ?? 0;
  return isNext(equal) ? equal + 1 : equal;
}
