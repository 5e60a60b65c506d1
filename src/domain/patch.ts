import { parsePatch } from "diff";

/** Where lines of a file are replaced. */
export interface PatchHunk {
  /** The first line that is replaced, from 1; where none is, the line before which others are put. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with its sign; a line without any is an empty one that both sides have. */
  readonly lines: string[];
}

/** What a unified diff does to one file. */
export interface FilePatch {
  /** Where the file is before, null for a new one; without git's `a/`. */
  readonly from: string | null;
  /** Where it is afterwards, null when it is removed; without git's `b/`. */
  readonly to: string | null;
  /** The file leaves its old place. */
  readonly moves: boolean;
  readonly binary: boolean;
  /** The mode that git gives it; absent where it keeps the one it had. */
  readonly mode?: string;
  readonly hunks: readonly PatchHunk[];
}

/** The files that a unified diff names; what is no diff names none. @throws Error that says which line cannot be read */
export const readPatch = (patch: string): readonly FilePatch[] => atOnce(readingPatch(patch));

/** Does work in one step that could be done in many. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Units of work between two places where others may have a turn: so many lines are read in the time of one. */
export const LINES_OF_UNIT = 256;

/** What reading the header of one file costs, in lines. */
const HEADER_LINES = 64;

/**
 * As `readPatch`, in steps: it yields the units of work since the last one. The counts in a hunk's header say where it ends, so a
 * line that looks like a header is still a line.
 */
export function* readingPatch(patch: string): Generator<number, readonly FilePatch[]> {
  const lines = new PatchLines(patch);
  const files = new PatchFiles();
  let read = 0;
  for (; !lines.ended; read += 1) {
    const { line } = lines;
    if (/^@@\s/.test(line)) files.hunk(yield* hunkAt(lines));
    else {
      lines.next();
      if (files.outside(line)) read += HEADER_LINES;
    }
    if (read < LINES_OF_UNIT) continue;
    yield read / LINES_OF_UNIT;
    read = 0;
  }
  return files.all();
}

/** The lines of a patch, one after the other. */
class PatchLines {
  readonly #patch: string;
  #at = 0;
  /** From 1. */
  number = 1;

  constructor(patch: string) {
    this.#patch = patch;
  }

  get ended(): boolean {
    return this.#at > this.#patch.length;
  }

  get line(): string {
    return this.#patch.slice(this.#at, this.#end);
  }

  /** Its first character; empty lines have none, and what follows the last line end is no line. */
  get sign(): string | undefined {
    if (this.#at >= this.#patch.length) return undefined;
    return this.#end === this.#at ? "" : this.#patch.charAt(this.#at);
  }

  next(): void {
    this.#at = this.#end + 1;
    this.number += 1;
  }

  get #end(): number {
    const end = this.#patch.indexOf("\n", this.#at);
    return end === -1 ? this.#patch.length : end;
  }
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function* hunkAt(lines: PatchLines): Generator<number, PatchHunk> {
  const { number } = lines;
  const hunk = headerAt(lines);
  const left = { old: hunk.oldLines, new: hunk.newLines };
  for (; left.old > 0 || left.new > 0 || lines.sign === "\\"; lines.next()) {
    take(lines, left, number);
    hunk.lines.push(lines.line);
    if (hunk.lines.length % LINES_OF_UNIT === 0) yield 1;
  }
  if (left.old < 0 || left.new < 0) throw new Error(`the hunk at line ${number} has other lines than it says`);
  if (/^[+ -]/.test(lines.sign ?? "") && !isFileHeader(lines.line))
    throw new Error(`the hunk at line ${number} has more lines than it says`);
  return hunk;
}

function headerAt(lines: PatchLines): PatchHunk {
  const [whole, oldStart, oldLines = "1", newStart, newLines = "1"] = HUNK.exec(lines.line) ?? [];
  if (whole === undefined) throw new Error(`line ${lines.number} begins a hunk without its line numbers`);
  lines.next();
  const [old, added] = [Number(oldLines), Number(newLines)];
  // A hunk without lines on a side names the line before.
  const oldStartsAt = Number(oldStart) + (old === 0 ? 1 : 0);
  return {
    ...{ oldStart: oldStartsAt, oldLines: old },
    ...{ newStart: Number(newStart) + (added === 0 ? 1 : 0), newLines: added, lines: [] },
  };
}

function take({ sign, number }: PatchLines, left: { old: number; new: number }, hunk: number): void {
  if (sign === undefined) throw new Error(`the hunk at line ${hunk} has fewer lines than it says`);
  if (sign === "\\") return;
  if (!["", " ", "+", "-"].includes(sign)) throw new Error(`line ${number} is none of the hunk at line ${hunk}`);
  if (sign !== "+") left.old -= 1;
  if (sign !== "-") left.new -= 1;
}

const isFileHeader = (line: string) => /^(---|\+\+\+)\s/.test(line);

const isDiffHeader = (line: string) => /^(diff --git |Index:\s|diff(?: -r \w+)+\s)/.test(line);

/** What git says of a file above its hunks. */
const EXTENDED = /^(?:rename|copy) (?:from|to) |^(?:new file|deleted file|old|new) mode |^Binary files /;

/** Puts the lines outside hunks and the hunks together to files. */
class PatchFiles {
  readonly #files: FilePatch[] = [];
  #header: string[] = [];
  #hunks: PatchHunk[] = [];
  #headers = 0;

  hunk(hunk: PatchHunk): void {
    this.#hunks.push(hunk);
  }

  /** Takes a line that is in no hunk. True when it begins another file. */
  outside(line: string): boolean {
    if (isDiffHeader(line)) {
      const begins = this.#header.length > 0 || this.#hunks.length > 0;
      if (begins) this.#close();
      this.#header.push(line);
      return begins;
    }
    if (isFileHeader(line)) {
      const begins = this.#hunks.length > 0 || this.#headers === 2;
      if (begins) this.#close();
      this.#header.push(line);
      this.#headers += 1;
      return begins;
    }
    // Nobody writes more of them; a text that is no diff may repeat one for ever.
    if (this.#header.length > 0 && this.#header.length < 16 && EXTENDED.test(line)) this.#header.push(line);
    return false;
  }

  all(): readonly FilePatch[] {
    this.#close();
    return this.#files;
  }

  /** The library knows how tools write names. */
  #close(): void {
    const [head] = parsePatch(this.#header.join("\n"));
    const from = head?.isCreate === true ? null : pathOf(head?.oldFileName, "a/");
    const to = head?.isDelete === true ? null : pathOf(head?.newFileName, "b/");
    const mode = head?.newMode;
    if (from !== null || to !== null)
      this.#files.push({
        ...{ from, to, moves: head?.isRename === true && from !== to, binary: head?.isBinary === true },
        ...(mode !== undefined && { mode }),
        hunks: this.#hunks,
      });
    [this.#header, this.#hunks, this.#headers] = [[], [], 0];
  }
}

/** Where a reader looks for the file: its new place, or the one it had. */
export const pathOfPatch = ({ from, to }: Pick<FilePatch, "from" | "to">): string => to ?? from ?? "";

/** The lines with one mark, the mark taken off. */
export const linesOfPatch = ({ hunks }: FilePatch, mark: "+" | "-"): readonly string[] =>
  hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1)));

function pathOf(name: string | undefined, prefix: string): string | null {
  if (name === undefined || name === "/dev/null") return null;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
