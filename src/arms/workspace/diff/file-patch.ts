import { formatPatch, type StructuredPatch } from "diff";
import { compareLines, linesIn, type PatchMeans } from "../../../domain/text-hunks.ts";
import type { Content } from "./content.ts";

/** One changed path: its part of the unified diff, and its count of lines. */
interface FilePatch {
  /** The patch in git's form, which `git apply` and `patch -p1` take. Null when it does not fit. */
  readonly patch: string | null;
  readonly added: number;
  readonly removed: number;
}

export async function filePatch(path: string, before: Content, after: Content, means: PatchMeans): Promise<FilePatch> {
  if (before.kind === "text" && after.kind === "text") {
    const { hunks, added, removed } = await compareLines(before.text, after.text, means);
    return { patch: hunks && withHunks(named(path), hunks), added, removed };
  }
  const counts = { added: lineCount(after), removed: lineCount(before) };
  if (isOpaque(before) || isOpaque(after)) return { patch: opaqueNote(path, before, after), ...counts };
  const [old, now] = [sideOf(before), sideOf(after)];
  const chars = [old, now].reduce((sum, side) => sum + (side?.text.length ?? 0), counts.added + counts.removed);
  if (chars > means.room) return { patch: null, ...counts };
  return { patch: removal(path, old, counts.removed) + addition(path, now, counts.added), ...counts };
}

const withHunks = (head: Omit<StructuredPatch, "hunks">, hunks: StructuredPatch["hunks"]) =>
  formatPatch({ ...head, hunks });

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

function removal(path: string, side: Side | undefined, lines: number): string {
  if (!side) return "";
  const head = { ...named(path), newFileName: "/dev/null", isDelete: true, oldMode: side.mode };
  if (side.text === "") return withHunks(head, []);
  const hunk = { oldStart: 1, oldLines: lines, newStart: 1, newLines: 0, lines: [] };
  return withHunks(head, [hunk]) + signed("-", side.text);
}

function addition(path: string, side: Side | undefined, lines: number): string {
  if (!side) return "";
  const head = { ...named(path), oldFileName: "/dev/null", isCreate: true, newMode: side.mode };
  if (side.text === "") return withHunks(head, []);
  const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: lines, lines: [] };
  return withHunks(head, [hunk]) + signed("+", side.text);
}

/** Writes the text at once: a list of its lines would take many times its memory. */
function signed(sign: string, text: string): string {
  const isEnded = text.endsWith("\n");
  const lines = (isEnded ? text.slice(0, -1) : text).replaceAll("\n", `\n${sign}`);
  return `${sign}${lines}\n${isEnded ? "" : "\\ No newline at end of file\n"}`;
}

interface Side {
  readonly text: string;
  readonly mode: string;
}

/** git's file modes; a link's text is its target. */
function sideOf(content: Content): Side | undefined {
  if (content.kind === "text") return { text: content.text, mode: content.executable ? "100755" : "100644" };
  return content.kind === "link" ? { text: content.target, mode: "120000" } : undefined;
}

function lineCount(content: Content): number {
  if (content.kind === "long") return content.lines;
  const side = sideOf(content);
  return side ? linesIn(side.text) : 0;
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
