import type { ChangedFile, Changes } from "../../domain/evidence.ts";
import { globMatcher } from "../../domain/path-glob.ts";
import { sha256 } from "../../domain/sha256.ts";
import { Pace } from "../../pace.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import { bounded, clip, endsThatFit, LEFT_OUT, LINE_CHARS } from "./clip.ts";
import { type Hunk, parsePatch } from "./parse-patch.ts";
import { type CitableItem, lineBytes, linesBytes, type Section, type ViewLine } from "./section.ts";

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

/** Bytes from which a part of a hunk is worth showing. */
const WORTHY_BYTES = 400;

/** A hunk and its lines as they are shown. */
interface ShownHunk {
  readonly hunk: Hunk;
  readonly lines: readonly ViewLine[];
  readonly bytes: number;
  /** The hunk is so long that its middle is not among the lines. */
  readonly partial: boolean;
}

/** The change, read but not yet cut. */
export interface DiffDraft {
  readonly changes: Changes | null;
  readonly hunks: readonly Hunk[];
  readonly list: readonly ViewLine[];
  /** What a judge needs first comes first. */
  readonly showable: readonly ShownHunk[];
  /** Part of what the answer consists of. */
  readonly isCore: (path: string) => boolean;
  /** What showing all of it takes, as far as it could fit into `limit`. */
  readonly bytes: number;
}

export async function draftDiff(
  changes: Changes | null,
  limit: number,
  deliverable: readonly string[],
): Promise<DiffDraft> {
  const hunks = changes ? await parsePatch(changes.patch) : [];
  const list = changes ? fileList(changes.files, hunks) : [];
  const isCore = coreOf(hunks, deliverable);
  const showable = await shownHunks(hunks, isCore, limit);
  const wanted = showable.reduce((sum, { bytes }) => sum + bytes, linesBytes(list));
  return { changes, hunks, list, showable, isCore, bytes: Math.min(limit, wanted) };
}

/** What a judge needs first comes first; generated files are left out. */
async function shownHunks(hunks: readonly Hunk[], isCore: DiffDraft["isCore"], limit: number): Promise<ShownHunk[]> {
  const pace = new Pace();
  const ranked: { readonly hunk: Hunk; readonly rank: number }[] = [];
  for (const hunk of hunks) {
    await pace.entry();
    const kind = kindOf(hunk.path);
    if (kind !== "generated") ranked.push({ hunk, rank: isCore(hunk.path) ? -1 : KINDS.indexOf(kind) });
  }
  const shown: ShownHunk[] = [];
  for (const { hunk } of ranked.sort((one, other) => one.rank - other.rank)) {
    await pace.bytes(Math.min(hunk.text.length, limit));
    shown.push(shownHunk(hunk, limit));
  }
  return shown;
}

/** What `deliverable` names; where it names everything, the kind of file that a judge needs first among those changed. */
function coreOf(hunks: readonly Hunk[], deliverable: readonly string[]): (path: string) => boolean {
  const named = globMatcher(deliverable);
  const counting = hunks.filter(({ path }) => named(path) && kindOf(path) !== "generated");
  if (!deliverable.includes("**")) return (path) => named(path) && kindOf(path) !== "generated";
  const first = KINDS.find((kind) => counting.some(({ path }) => kindOf(path) === kind));
  return (path) => kindOf(path) === first;
}

/** All changed files by name, then whole hunks while they fit; of those that do not, head and tail while there is room. */
export function diffSection(draft: DiffDraft, bytes: number): Section {
  const { changes, hunks, list, showable, isCore } = draft;
  const title = "Changes to the workspace (unified diff against the start)";
  if (changes === null || changes.files.length === 0) {
    const unknown = changes === null ? "" : changes.unknown;
    const text = typeof unknown === "string" ? `The changes are not known. ${unknown}`.trim() : "No file was changed.";
    const item: CitableItem = { kind: "diff", ref: "none" };
    const core_cut = typeof unknown === "string";
    return { name: "diff", title, lines: [{ text, authored: false, item }], omissions: [], core_cut };
  }
  const shown = fitting(draft, bytes - linesBytes(list));
  const left_out = showable.filter(({ hunk }) => !shown.has(hunk)).map(({ hunk }) => hunk);
  const cut = [...shown].filter(([, part]) => part.cut).map(([hunk]) => hunk);
  const unstored = missingFromPatch(changes, hunks);
  return {
    name: "diff",
    title,
    lines: [...list, ...showable.flatMap(({ hunk }) => shown.get(hunk)?.lines ?? [])],
    omissions: [
      ...omissions(left_out, "left out for space"),
      ...omissions(cut, "without the middle, for space"),
      ...(unstored ? ["The stored diff itself was cut to its cap."] : []),
    ],
    core_cut: unstored || [...left_out, ...cut].some(({ path }) => isCore(path)),
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

/**
 * Core first: what fits whole, in order, then head and tail of what does not, the same room for each; then the rest in the
 * same way. What all takes together is shown whole.
 */
function fitting({ showable, isCore }: DiffDraft, bytes: number): Map<Hunk, Part> {
  const [core, rest] = [true, false].map((wanted) => showable.filter(({ hunk }) => isCore(hunk.path) === wanted));
  const shown = new Map<Hunk, Part>();
  const left = fittingGroup(core ?? [], bytes, shown);
  fittingGroup(rest ?? [], left, shown);
  return shown;
}

interface Part {
  readonly lines: readonly ViewLine[];
  readonly cut: boolean;
}

/** Returns the bytes that are left. */
function fittingGroup(group: readonly ShownHunk[], bytes: number, shown: Map<Hunk, Part>): number {
  let left = bytes;
  const large: ShownHunk[] = [];
  for (const one of group)
    if (one.bytes > left) large.push(one);
    else {
      shown.set(one.hunk, { lines: one.lines, cut: one.partial });
      left -= one.bytes;
    }
  const places = Math.min(large.length, Math.floor(left / WORTHY_BYTES));
  for (const [index, { hunk, lines }] of large.slice(0, places).entries()) {
    const part = headAndTail(lines, Math.floor(left / (places - index)));
    shown.set(hunk, { lines: part, cut: true });
    left -= linesBytes(part);
  }
  return left;
}

/** The file's name and the header of the hunk, then as much of its head and tail as fits; no line takes all the room. */
function headAndTail(lines: readonly ViewLine[], bytes: number): ViewLine[] {
  const short = lines.map((line) => ({ ...line, text: clip(line.text, LINE_CHARS) }));
  const [heads, body] = [short.slice(0, 2), short.slice(2)];
  const room = Math.max(0, bytes - linesBytes(heads) - lineBytes(LEFT_OUT));
  const texts = body.map(({ text }) => text);
  const { head, tail } = endsThatFit(texts, room);
  const note: ViewLine = { text: LEFT_OUT, authored: false, item: null };
  return [...heads, ...body.slice(0, head), note, ...body.slice(body.length - tail)];
}

/** No more of a hunk is cleaned than a view can show. */
function shownHunk(hunk: Hunk, limit: number): ShownHunk {
  const text = bounded(hunk.text, limit, `\n${LEFT_OUT}\n`);
  const lines = hunkLines({ ...hunk, text });
  return { hunk, lines, bytes: linesBytes(lines), partial: text !== hunk.text };
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

function omissions(hunks: readonly Hunk[], how: string): string[] {
  const files = Map.groupBy(hunks, ({ path }) => path);
  const notes = [...files].slice(0, NOTED_FILES).map(([path, group]) => {
    const [added, removed] = [sum(group, "added"), sum(group, "removed")];
    return `${shownPath(path)}: ${counted(group.length)} ${how} (+${added} -${removed}).`;
  });
  const more = files.size - notes.length;
  return more > 0 ? [...notes, `${more} more files with hunks ${how}.`] : notes;
}

const counted = (hunks: number) => `${hunks} hunk${hunks === 1 ? "" : "s"}`;

const sum = (hunks: readonly Hunk[], count: "added" | "removed") =>
  hunks.reduce((total, hunk) => total + hunk[count], 0);
