import { formatPatch, type StructuredPatch, type StructuredPatchHunk, structuredPatch } from "diff";
import type { Content } from "./content.ts";

/** One changed path: its part of the unified diff, and its count of lines. */
export interface FilePatch {
  /** As git writes it; `git apply` and `patch -p1` take it. */
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
}

/**
 * How much comparing one harvest may do, in squares of edits: what the algorithm costs. Beyond it a changed file is shown
 * as removed and added whole. Counted and not timed, so that the same change always gives the same patch.
 */
export class DiffEffort {
  #left = 5_000_000;

  /** Edits for the next file. */
  get maxEdits(): number {
    return Math.min(1_000, Math.floor(Math.sqrt(this.#left)));
  }

  spend(edits: number): void {
    this.#left = Math.max(0, this.#left - edits * edits);
  }
}

export function filePatch(path: string, before: Content, after: Content, effort: DiffEffort): FilePatch {
  if (before.kind === "text" && after.kind === "text") return textPatch(path, before.text, after.text, effort);
  if (isOpaque(before) || isOpaque(after))
    return {
      patch: opaqueNote(path, before, after),
      added: lineCount(after),
      removed: lineCount(before),
    };
  const parts = [removal(path, before), addition(path, after)].filter((part) => part !== undefined);
  return {
    patch: parts.map((part) => formatPatch(part)).join(""),
    added: lineCount(after),
    removed: lineCount(before),
  };
}

function textPatch(path: string, before: string, after: string, effort: DiffEffort): FilePatch {
  const { maxEdits } = effort;
  const compared = structuredPatch("", "", before, after, undefined, undefined, {
    context: 3,
    maxEditLength: maxEdits,
  });
  const hunks = compared?.hunks ?? [wholeHunk(before, after)];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  effort.spend(compared ? added + removed : maxEdits);
  return { patch: formatPatch({ ...named(path), hunks }), added, removed };
}

/** A trailing tab ends a name that holds spaces; `patch` reads only up to the first one otherwise. */
const mark = (path: string) => (/\s/.test(path) ? { oldHeader: "\t", newHeader: "\t" } : {});

function named(path: string): Omit<StructuredPatch, "hunks"> {
  return {
    isGit: true,
    oldFileName: `a/${path}`,
    newFileName: `b/${path}`,
    oldHeader: undefined,
    newHeader: undefined,
    ...mark(path),
  };
}

function removal(path: string, before: Content): StructuredPatch | undefined {
  const side = sideOf(before);
  if (!side) return undefined;
  const hunks = side.text === "" ? [] : [wholeHunk(side.text, "")];
  return { ...named(path), newFileName: "/dev/null", isDelete: true, oldMode: side.mode, hunks };
}

function addition(path: string, after: Content): StructuredPatch | undefined {
  const side = sideOf(after);
  if (!side) return undefined;
  const hunks = side.text === "" ? [] : [wholeHunk("", side.text)];
  return { ...named(path), oldFileName: "/dev/null", isCreate: true, newMode: side.mode, hunks };
}

/** git's file modes; a link's text is its target. */
function sideOf(content: Content): { readonly text: string; readonly mode: string } | undefined {
  if (content.kind === "text") return { text: content.text, mode: content.executable ? "100755" : "100644" };
  return content.kind === "link" ? { text: content.target, mode: "120000" } : undefined;
}

function wholeHunk(before: string, after: string): StructuredPatchHunk {
  const [old, now] = [linesOf(before), linesOf(after)];
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [...signed("-", before, old), ...signed("+", after, now)],
  };
}

const linesOf = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const signed = (sign: string, text: string, lines: readonly string[]) => [
  ...lines.map((line) => sign + line),
  ...(text === "" || text.endsWith("\n") ? [] : ["\\ No newline at end of file"]),
];

function lineCount(content: Content): number {
  if (content.kind === "long") return content.lines;
  const side = sideOf(content);
  return side ? linesOf(side.text).length : 0;
}

const OPAQUE: ReadonlySet<Content["kind"]> = new Set(["binary", "long", "unread", "odd"]);

const isOpaque = ({ kind }: Content) => OPAQUE.has(kind);

/** A line of its own between the diffs: tools that apply patches pass over it. */
const opaqueNote = (path: string, before: Content, after: Content) =>
  `Not shown ${JSON.stringify(path)}: ${describe(before)} -> ${describe(after)}\n`;

function describe(content: Content): string {
  if (content.kind === "binary") return `binary, sha256 ${content.digest}, ${content.size} bytes`;
  if (content.kind === "long") return `${content.lines} lines of text, sha256 ${content.digest}, ${content.size} bytes`;
  if (content.kind === "unread") return `not read, ${content.size} bytes`;
  if (content.kind === "odd") return "not a regular file";
  return content.kind;
}
