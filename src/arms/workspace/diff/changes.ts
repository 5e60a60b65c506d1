import { createHash } from "node:crypto";
import { formatPatch, type StructuredPatch } from "diff";
import { CHANGED_FILE_BYTES, CHANGED_FILES_BYTES, PATCH_BYTES } from "../../../domain/defaults.ts";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { compareLines, DiffEffort, linesIn, type PatchMeans } from "../../../domain/text-hunks.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { TreeDifference } from "./compare.ts";
import { type Content, ContentReader } from "./content.ts";

/** Changed files that are listed one by one. Nobody writes more by hand. */
export const MAX_LISTED_FILES = 5_000;

/** Paths named when they did not fit the patch. */
const MAX_NAMED_PATHS = 50;

export const NO_CHANGES: Changes = {
  files: [],
  patch: "",
  digest: createHash("sha256").digest("hex"),
  truncated: false,
};

/** The changes of a tree that cannot be read; `why` is a sentence. */
export const unreadableChanges = (why: string): Changes => ({
  files: [],
  patch: `Not shown: ${why}\n`,
  digest: sha256(why),
  truncated: true,
  unknown: why,
});

/** What differs between two trees, as evidence: within the caps of `defaults.ts`, and in bounded time whatever lies there. */
export async function describeChanges(
  differences: readonly TreeDifference[],
  roots: { readonly before: string; readonly after: string },
): Promise<Changes> {
  const reader = new ContentReader();
  const report = new ChangeReport();
  for (const { path, before, after } of differences) {
    const old = await reader.read(roots.before, before);
    const now = await reader.read(roots.after, after);
    await report.add(path, old, now);
  }
  return report.finish();
}

class ChangeReport {
  readonly #files: ChangedFile[] = [];
  readonly #patches: string[] = [];
  readonly #leftOut: string[] = [];
  readonly #digest = createHash("sha256");
  readonly #effort = new DiffEffort();
  readonly #pace = new Pace();
  #patchBytes = 0;
  #textBytes = 0;
  #truncated = false;

  async add(path: string, old: Content, now: Content): Promise<void> {
    const [before, after] = shownSides(old, now);
    this.#digest.update(`${path}\0${after.kind === "absent" ? "absent" : after.digest}\0`);
    if (isCut(before) || isCut(after)) this.#truncated = true;
    if (this.#files.length >= MAX_LISTED_FILES) {
      this.#leftOut.push(path);
      return;
    }
    const means = { effort: this.#effort, room: PATCH_BYTES - this.#patchBytes };
    const { patch, added, removed } = await filePatch(path, before, after, means);
    await this.#pace.bytes(patch?.length ?? 0);
    this.#addPatch(path, patch);
    const binary = !isText(before) || !isText(after);
    const status = before.kind === "absent" ? "added" : after.kind === "absent" ? "deleted" : "modified";
    const kept = { before: this.#keep(before), after: this.#keep(after) };
    this.#files.push({ path, status, added, removed, binary, ...kept, ...digestOf(now, kept.after) });
  }

  finish(): Changes {
    return {
      files: this.#files,
      patch: this.#patches.join("") + leftOutLine(this.#leftOut),
      digest: this.#digest.digest("hex"),
      truncated: this.#truncated || this.#leftOut.length > 0,
    };
  }

  #addPatch(path: string, patch: string | null): void {
    const bytes = patch === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(patch);
    if (patch === null || this.#patchBytes + bytes > PATCH_BYTES) {
      this.#leftOut.push(path);
      return;
    }
    this.#patchBytes += bytes;
    this.#patches.push(patch);
  }

  #keep(content: Content): string | null {
    const text = textOf(content);
    if (text === null) return null;
    const bytes = Buffer.byteLength(text);
    if (bytes > CHANGED_FILE_BYTES || this.#textBytes + bytes > CHANGED_FILES_BYTES) {
      this.#truncated = true;
      return null;
    }
    this.#textBytes += bytes;
    return text;
  }
}

/**
 * Both sides as they are shown. One bad byte must not hide a change: a file that was text is shown as text after it,
 * too, and a new file when most of it reads as text.
 */
function shownSides(before: Content, after: Content): readonly [Content, Content] {
  const decisive = before.kind === "absent" ? after : before;
  const isText = decisive.kind === "text" || (decisive.kind === "binary" && decisive.prose);
  return isText ? [asShown(before), asShown(after)] : [before, after];
}

function asShown(content: Content): Content {
  if (content.kind !== "binary") return content;
  const { size, digest, lossy, lines, executable } = content;
  return lossy === null ? { kind: "long", size, digest, lines } : { kind: "text", text: lossy, digest, executable };
}

/** Two arms left the same file also where its text does not tell. */
function digestOf(now: Content, kept: string | null): Pick<ChangedFile, "digest"> {
  if (now.kind === "text") return kept === null ? { digest: now.digest } : {};
  return now.kind === "binary" || now.kind === "link" ? { digest: now.digest } : {};
}

const isText = ({ kind }: Content) => kind === "text" || kind === "long" || kind === "link" || kind === "absent";

const isCut = ({ kind }: Content) => kind === "unread" || kind === "long";

function textOf(content: Content): string | null {
  if (content.kind === "text") return content.text;
  return content.kind === "link" ? `-> ${content.target}` : null;
}

function leftOutLine(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const named = paths.slice(0, MAX_NAMED_PATHS).map((path) => JSON.stringify(path));
  const more = paths.length - named.length;
  return `Not shown, too large: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}\n`;
}

/** One changed path: its part of the unified diff, and its count of lines. */
interface FilePatch {
  /** The patch in git's form, which `git apply` and `patch -p1` take. Null when it does not fit. */
  readonly patch: string | null;
  readonly added: number;
  readonly removed: number;
}

async function filePatch(path: string, before: Content, after: Content, means: PatchMeans): Promise<FilePatch> {
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
