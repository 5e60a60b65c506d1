import { type StructuredPatch, structuredPatch } from "diff";
import type { ChangedFile, Changes } from "../../domain/evidence.ts";
import { pathOfPatch, readPatch } from "../../domain/patch.ts";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  /** Line numbers before and after; null on the side where the line does not exist. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** How one file differs between two states. */
export interface FileChange {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly DiffLine[];
  /** Whole texts, for the colours; null when unknown. */
  readonly before: string | null;
  readonly after: string | null;
  /** Shown above the lines, or in place of them. */
  readonly note: string | null;
}

/** What an arm changed, file by file, from its stored diff. */
export function changesOf(changes: Changes): FileChange[] {
  const patches = patchesByPath(changes.patch);
  return changes.files.map((file) => {
    const patch = patches.get(file.path);
    const lines = patch ? linesOf(patch) : [];
    return { ...bare(file), lines, note: noteOf(file, lines, changes.truncated) };
  });
}

function bare({ path, status, added, removed, before, after }: ChangedFile) {
  return { path, status, added, removed, before, after };
}

function noteOf(file: ChangedFile, lines: readonly DiffLine[], truncated: boolean): string | null {
  if (file.binary) return "A binary file; its bytes are not shown.";
  if (lines.length > 0) return null;
  return truncated ? "Too large to be kept; only its counts are known." : "No line differs.";
}

/** How two texts of one file differ. A text of null is a file that does not exist. `timeout` in milliseconds. */
export function textChange(
  path: string,
  before: string | null,
  after: string | null,
  timeout: number = FILE_MS,
): FileChange | null {
  if (before === after) return null;
  const patch = structuredPatch(path, path, before ?? "", after ?? "", undefined, undefined, { context: 3, timeout });
  const lines = patch ? linesOf(patch) : [];
  return {
    path,
    status: before === null ? "added" : after === null ? "deleted" : "modified",
    ...withCounts(lines),
    before,
    after,
    note: patch ? null : "The two versions differ too much to be compared line by line.",
  };
}

/** Milliseconds: one strange file must not hold up the page. */
const FILE_MS = 1_500;

/** Milliseconds for all files together: a thousand strange files must not either. */
const PAGE_MS = 4_000;

/** Milliseconds for each of so many files. */
export const timeForEach = (files: number): number => Math.max(1, Math.min(FILE_MS, PAGE_MS / files));

/** By path without the `a/` and `b/` that git puts before it. A patch that cannot be read has no files. */
export function patchesByPath(patch: string): Map<string, StructuredPatch> {
  try {
    return new Map(readPatch(patch).map((file) => [pathOfPatch(file), file.parsed]));
  } catch {
    return new Map();
  }
}

export const withCounts = (lines: readonly DiffLine[]) => ({
  lines,
  added: lines.filter(({ kind }) => kind === "added").length,
  removed: lines.filter(({ kind }) => kind === "removed").length,
});

export function linesOf({ hunks }: StructuredPatch): DiffLine[] {
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
