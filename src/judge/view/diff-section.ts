import type { ChangedFile, Changes } from "../../domain/evidence.ts";
import { sha256 } from "../../domain/sha256.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import { clip } from "./clip.ts";
import { type Hunk, parsePatch } from "./parse-patch.ts";
import { type CitableItem, linesBytes, type Section, type ViewLine } from "./section.ts";

/** Changed files listed by name. */
const LISTED_FILES = 200;

/** Characters of a path in the list and of a file that gets an omission note. */
const PATH_CHARS = 200;
const NOTED_FILES = 20;

/** What a judge needs first comes first; generated files are named, never shown. */
const KINDS = ["source", "test", "config", "generated"] as const;
type Kind = (typeof KINDS)[number];

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb)$|\.(?:lock|map|snap|min\.js|min\.css)$|(?:^|\/)(?:dist|vendor|third_party|coverage|__snapshots__)\//;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/;
const CONFIG = /\.(?:json|ya?ml|toml|ini|cfg|conf|xml|properties|md|txt)$|(?:^|\/)(?:\.[^/]+|Dockerfile|Makefile)$/;

function kindOf(path: string): Kind {
  if (GENERATED.test(path)) return "generated";
  if (TEST.test(path)) return "test";
  return CONFIG.test(path) ? "config" : "source";
}

/** Cleaning shrinks a hunk only by replacing blobs: one that is so many times too large is not worth cleaning. */
const SHRINKS = 8;

/** The change, read but not yet cut. */
export interface DiffDraft {
  readonly changes: Changes | null;
  readonly hunks: readonly Hunk[];
  readonly list: readonly ViewLine[];
  /** What a judge needs first comes first; each hunk's lines as they are shown. */
  readonly showable: ReadonlyMap<Hunk, readonly ViewLine[]>;
  /** What showing all of it takes that could fit into `limit`: a hunk that never fits, or is never shown, needs nothing. */
  readonly bytes: number;
}

export function draftDiff(changes: Changes | null, limit: number): DiffDraft {
  const hunks = changes ? parsePatch(changes.patch) : [];
  const list = changes ? fileList(changes.files, hunks) : [];
  const worthy = hunks.filter(({ path, text }) => kindOf(path) !== "generated" && text.length <= limit * SHRINKS);
  const showable = new Map(worthy.sort(byKind).map((hunk) => [hunk, hunkLines(hunk)]));
  const listBytes = linesBytes(list);
  const shown = [...fitting(showable, limit - listBytes).values()];
  return { changes, hunks, list, showable, bytes: shown.reduce((sum, lines) => sum + linesBytes(lines), listBytes) };
}

/** All changed files by name, then whole hunks while they fit; a hunk is never cut. */
export function diffSection(draft: DiffDraft, bytes: number): Section {
  const { changes, hunks, list, showable } = draft;
  const title = "Changes to the workspace (unified diff against the start)";
  if (changes === null || changes.files.length === 0) {
    const text = changes === null ? "The changes are not known." : "No file was changed.";
    const item: CitableItem = { kind: "diff", ref: "none" };
    return { name: "diff", title, lines: [{ text, authored: false, item }], omissions: [], core_cut: changes === null };
  }
  const chosen = fitting(showable, bytes - linesBytes(list));
  const left_out = hunks.filter((hunk) => kindOf(hunk.path) !== "generated" && !chosen.has(hunk));
  const unstored = missingFromPatch(changes, hunks);
  return {
    name: "diff",
    title,
    lines: [...list, ...[...chosen.values()].flat()],
    omissions: [...omissions(left_out), ...(unstored ? ["The stored diff itself was cut to its cap."] : [])],
    core_cut: unstored || left_out.some(({ path }) => kindOf(path) === "source"),
  };
}

/** Changed lines of a file stand in no hunk. `truncated` alone also means that only a file's text was not kept. */
function missingFromPatch({ truncated, files }: Changes, hunks: readonly Hunk[]): boolean {
  if (!truncated) return false;
  const patched = new Set(hunks.map(({ path }) => path));
  return files.some(
    ({ path, added, removed }) => added + removed > 0 && !patched.has(path) && kindOf(path) !== "generated",
  );
}

const byKind = (one: Hunk, other: Hunk) => KINDS.indexOf(kindOf(one.path)) - KINDS.indexOf(kindOf(other.path));

function fileList(files: readonly ChangedFile[], hunks: readonly Hunk[]): ViewLine[] {
  const listed = files.slice(0, LISTED_FILES).map((file): ViewLine => {
    const counts = file.binary ? "binary" : `+${file.added} -${file.removed}`;
    const text = `${file.status} ${shownPath(file.path)} ${counts}${hashNote(file, hunks)}`;
    return { text, authored: true, item: { kind: "diff", ref: shownPath(file.path) } };
  });
  const more = files.length - listed.length;
  if (more > 0) listed.push({ text: `and ${more} more changed files, not listed`, authored: false, item: null });
  return listed;
}

function hashNote({ path }: ChangedFile, hunks: readonly Hunk[]): string {
  if (kindOf(path) !== "generated") return "";
  const text = hunks.flatMap((hunk) => (hunk.path === path ? [hunk.text] : [])).join("\n");
  return ` (generated, not shown: ${text.length} characters, sha256 ${sha256(text).slice(0, 12)})`;
}

/** A path is the arm's text too. */
const shownPath = (path: string) => clip(cleanLine(path), PATH_CHARS);

/** The first hunks that fit, in order. Given exactly what its choice takes, it chooses the same again. */
function fitting(showable: DiffDraft["showable"], bytes: number): DiffDraft["showable"] {
  let left = bytes;
  const chosen = [...showable].filter(([, lines]) => {
    const size = linesBytes(lines);
    if (size > left) return false;
    left -= size;
    return true;
  });
  return new Map(chosen);
}

function hunkLines(hunk: Hunk): ViewLine[] {
  const item: CitableItem = {
    kind: "diff",
    ref: shownPath(hunk.path),
    lines: { before: hunk.before, after: hunk.after },
  };
  const text = cleanText(hunk.text.replace(/\r(?=\n|$)/g, "").replaceAll("\r", "⟨CR⟩"));
  const lines = text.split("\n").map((line) => ({ text: line, authored: line.startsWith("+"), item }));
  return [{ text: `file ${shownPath(hunk.path)}`, authored: true, item: null }, ...lines];
}

function omissions(hunks: readonly Hunk[]): string[] {
  const files = Map.groupBy(hunks, ({ path }) => path);
  const notes = [...files].slice(0, NOTED_FILES).map(([path, group]) => {
    const [added, removed] = [sum(group, "added"), sum(group, "removed")];
    return `${shownPath(path)}: ${group.length} hunks left out for space (+${added} -${removed}).`;
  });
  const more = files.size - notes.length;
  return more > 0 ? [...notes, `${more} more files with hunks left out for space.`] : notes;
}

const sum = (hunks: readonly Hunk[], count: "added" | "removed") =>
  hunks.reduce((total, hunk) => total + hunk[count], 0);
