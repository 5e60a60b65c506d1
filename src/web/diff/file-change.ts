import { parsePatch, type StructuredPatch, structuredPatch } from "diff";
import type { ChangedFile, Changes } from "../../domain/evidence.ts";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  /** Line numbers on either side; null where the line is not there. */
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
  /** Whole texts, where they are known; colours need them. */
  readonly before: string | null;
  readonly after: string | null;
  /** Said in place of, or before, the lines. */
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

/** How two texts of one file differ; null is a file that is not there. */
export function textChange(path: string, before: string | null, after: string | null): FileChange | null {
  if (before === after) return null;
  const patch = structuredPatch(path, path, before ?? "", after ?? "", undefined, undefined, LIMITS);
  const lines = patch ? linesOf(patch) : [];
  return {
    path,
    status: before === null ? "added" : after === null ? "deleted" : "modified",
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
    lines,
    before,
    after,
    note: patch ? null : "The two versions differ too much to be compared line by line.",
  };
}

/** A page must not stand still over one strange file: milliseconds. */
const LIMITS = { context: 3, timeout: 1_500 } as const;

/** By path without the `a/` and `b/` that git puts before it. A patch that cannot be read has no files. */
export function patchesByPath(patch: string): Map<string, StructuredPatch> {
  try {
    return new Map(parsePatch(patch).map((file) => [pathOf(file), file]));
  } catch {
    return new Map();
  }
}

function pathOf({ oldFileName = "", newFileName = "", isGit }: StructuredPatch): string {
  const name = newFileName === "/dev/null" ? oldFileName : newFileName;
  return isGit || /^a\//.test(oldFileName) ? name.replace(/^[ab]\//, "") : name;
}

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
