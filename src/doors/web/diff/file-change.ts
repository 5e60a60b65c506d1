import { structuredPatch } from "diff";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { type FilePatch, pathOfPatch, readPatch } from "../../../domain/patch.ts";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  /** Line numbers before and after; null on the side where the line does not exist. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** What a reader of one file sees. */
export interface ChangedText {
  readonly lines: readonly DiffLine[];
  /** Whole texts, for the colours; null when unknown. */
  readonly before: string | null;
  readonly after: string | null;
  /** Shown above the lines, or in place of them. */
  readonly note: string | null;
}

/** How one file differs between two states. */
export interface FileChange {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Lines; null where they are not counted before somebody reads them. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Lines that a reader would see, more or less. */
  readonly size: number;
  /** What is said of it beside its path; absent for its status. */
  readonly label?: string;
  /** What is compared, as in "fixture to arm A"; absent where all files of a list have the same. */
  readonly between?: string;
  /** Worked out when somebody opens the file: there may be thousands, and megabytes in one. */
  readonly read: () => ChangedText;
}

/** What an arm changed, file by file, from its stored diff. */
export function fileChangesOf(changes: Changes): FileChange[] {
  const patches = patchesByPath(changes.patch);
  return changes.files.map((file) => {
    const { path, status, added, removed } = file;
    const read = once(() => storedText(file, patches.get(path), changes.truncated));
    return { path, status, added, removed, size: added + removed, read };
  });
}

function storedText(file: ChangedFile, patch: string | undefined, truncated: boolean): ChangedText {
  const parsed = parsedPatch(patch);
  const lines = parsed ? linesOf(parsed) : [];
  return { lines, before: file.before, after: file.after, note: noteOf(file, lines, truncated) };
}

function noteOf(file: ChangedFile, lines: readonly DiffLine[], truncated: boolean): string | null {
  if (file.binary) return "A binary file; its bytes are not shown.";
  if (lines.length > 0) return null;
  return truncated ? "Too large to be kept; only its counts are known." : "No line differs.";
}

/** Runs at the first call; later calls give the same value. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Edits up to which two texts are compared line by line: more take so long that the page stands still. */
const MOST_EDITS = 1_000;

/** Each edit that is looked for may go along all lines. */
const MOST_STEPS = 10_000_000;

/** How two texts differ. A text of null is a file that does not exist. */
export function differingText(before: string | null, after: string | null): ChangedText {
  const lines = 1 + lineEndsIn(before ?? "") + lineEndsIn(after ?? "");
  const options = { context: 3, maxEditLength: Math.min(MOST_EDITS, Math.floor(MOST_STEPS / lines)) };
  const patch = structuredPatch("", "", before ?? "", after ?? "", undefined, undefined, options);
  if (patch) return { lines: linesOf(patch), before, after, note: null };
  const note = "The two differ too much to be compared line by line: one stands whole before the other.";
  return { lines: [...wholeLines("removed", before ?? ""), ...wholeLines("added", after ?? "")], before, after, note };
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) count += 1;
  return count;
}

const wholeLines = (kind: "added" | "removed", text: string): DiffLine[] =>
  (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n").map((line, index) => ({
    ...{ kind, text: line },
    before: kind === "removed" ? index + 1 : null,
    after: kind === "added" ? index + 1 : null,
  }));

interface TwoTexts {
  /** Null: a file that does not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

/** How two texts of one file differ; null when they are equal. */
export function textChange(path: string, { before, after }: TwoTexts): FileChange | null {
  if (before === after) return null;
  const text = differingText(before, after);
  return {
    path,
    status: statusOf({ before, after }),
    ...lineCountsOf(text.lines),
    size: text.lines.length,
    read: () => text,
  };
}

/** As `textChange`, for texts that are compared when somebody opens the file. */
export function laterChange(path: string, { before, after }: TwoTexts): FileChange | null {
  if (before === after) return null;
  const size = lineEndsIn(before ?? "") + lineEndsIn(after ?? "");
  const read = once(() => differingText(before, after));
  return { path, status: statusOf({ before, after }), added: null, removed: null, size, read };
}

const statusOf = ({ before, after }: TwoTexts) => (before === null ? "added" : after === null ? "deleted" : "modified");

/** Where the diff of the next file begins, or the server's word that there is none. No line of a file stands so far to the left. */
const FILE_BEGINS = /^(?=diff --git |Not shown)/m;

/** The diff of each file, by its path without the `a/` and `b/` that git puts before it. */
export const patchesByPath = (patch: string): ReadonlyMap<string, string> =>
  new Map(
    patch.split(FILE_BEGINS).flatMap((section) => {
      const path = pathIn(section);
      return path === undefined ? [] : [[path, section] as const];
    }),
  );

/** Read from the lines above the first hunk. */
function pathIn(section: string): string | undefined {
  const hunks = section.indexOf("\n@@");
  try {
    const [file] = readPatch(hunks === -1 ? section : section.slice(0, hunks + 1));
    return file && pathOfPatch(file);
  } catch {
    return undefined;
  }
}

/** Undefined where there is none, or it cannot be read. */
export function parsedPatch(section: string | undefined): FilePatch | undefined {
  try {
    return section === undefined ? undefined : readPatch(section)[0];
  } catch {
    return undefined;
  }
}

export function lineCountsOf(lines: readonly DiffLine[]) {
  let [added, removed] = [0, 0];
  for (const { kind } of lines) {
    if (kind === "added") added += 1;
    if (kind === "removed") removed += 1;
  }
  return { added, removed };
}

export function linesOf({ hunks }: Pick<FilePatch, "hunks">): DiffLine[] {
  return hunks.flatMap(({ oldStart, newStart, lines }) => {
    let [before, after] = [oldStart, newStart];
    const rows: DiffLine[] = [{ kind: "gap", before: oldStart, after: newStart, text: "" }];
    for (const line of lines) {
      const [sign, text] = [line[0], line.slice(1)];
      if (sign === "+") rows.push({ kind: "added", before: null, after: after++, text });
      else if (sign === "-") rows.push({ kind: "removed", before: before++, after: null, text });
      else if (sign === " ") rows.push({ kind: "same", before: before++, after: after++, text });
    }
    return rows;
  });
}
