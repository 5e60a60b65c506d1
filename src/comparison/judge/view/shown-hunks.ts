import { globMatcher } from "../../../domain/path-glob.ts";
import { Pace } from "../../../runtime/pace.ts";
import { CLEAN_COST, cleanText } from "./clean-text.ts";
import { bounded, clip, endsThatFit, LEFT_OUT, LINE_CHARS } from "./clip.ts";
import { type CitableItem, type LineRange, lineBytes, linesBytes, type ViewLine } from "./section.ts";

/** Bytes: a smaller part of a hunk is not worth showing. */
const WORTHY_BYTES = 400;

/** A hunk as it is shown. */
export interface ShownHunk {
  readonly hunk: Hunk;
  /** The answer consists of it. */
  readonly core: boolean;
  readonly lines: readonly ViewLine[];
  readonly bytes: number;
  /** The hunk is so long that its middle is not among the lines. */
  readonly partial: boolean;
}

export type NameOf = (path: string) => string;

/** How a path is called, and what is hidden of a text. */
interface Wording {
  readonly nameOf: NameOf;
  readonly hide?: ((text: string) => string) | undefined;
}

/** Core hunks first, then in the order of `FILE_KINDS`, without generated files. */
export async function shownHunks(
  hunks: readonly Hunk[],
  deliverable: readonly string[],
  { limit, ...words }: Wording & { readonly limit: number },
): Promise<ShownHunk[]> {
  const pace = new Pace();
  const shown: ShownHunk[] = [];
  for (const { hunk, rank } of await ranked(hunks, deliverable, pace)) {
    // A view cannot show more, so no more is cleaned.
    const text = bounded(hunk.text, limit, `\n${LEFT_OUT}\n`);
    const lines = await hunkLines({ ...hunk, text }, words, pace);
    shown.push({ hunk, core: rank === CORE, lines, bytes: linesBytes(lines), partial: text !== hunk.text });
  }
  return shown;
}

/** Before the rank of every kind. */
const CORE = -1;

/** `deliverable` names what is core. Where it names every file, core is the first kind among the changed files. */
async function ranked(hunks: readonly Hunk[], deliverable: readonly string[], pace: Pace) {
  const named = globMatcher(deliverable);
  const found: { readonly hunk: Hunk; readonly kind: number; readonly counts: boolean }[] = [];
  for (const hunk of hunks) {
    await pace.entry();
    const kind = fileKind(hunk.path);
    if (kind !== "generated") found.push({ hunk, kind: FILE_KINDS.indexOf(kind), counts: named(hunk.path) });
  }
  const first = found.reduce<number>(
    (least, { kind, counts }) => (counts ? Math.min(least, kind) : least),
    FILE_KINDS.length,
  );
  const all = deliverable.includes("**");
  return found
    .map(({ hunk, kind, counts }) => ({ hunk, rank: (all ? kind === first : counts) ? CORE : kind }))
    .sort((one, other) => one.rank - other.rank);
}

async function hunkLines(hunk: Hunk, { nameOf, hide }: Wording, pace: Pace): Promise<ViewLine[]> {
  const item: CitableItem = {
    kind: "diff",
    ref: nameOf(hunk.path),
    lines: { before: hunk.before, after: hunk.after },
  };
  const shown: ViewLine[] = [{ text: `file ${item.ref}`, authored: true, item: null }];
  for (const some of inLines(hunk.text)) {
    await pace.bytes(CLEAN_COST * some.length);
    const open = hide ? hide(some) : some;
    const text = cleanText(open.replace(/\r(?=\n|$)/g, "").replaceAll("\r", "⟨CR⟩"));
    for (const line of text.split("\n")) shown.push({ text: line, authored: line.startsWith("+"), item });
  }
  return shown;
}

/** Characters that are cleaned in one step, up to the end of a line. */
const STEP_CHARS = 32 * 1024;

/** A text in parts of whole lines, without the newlines between the parts. */
function* inLines(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > STEP_CHARS) {
    const newline = text.indexOf("\n", from + STEP_CHARS);
    if (newline < 0) break;
    yield text.slice(from, newline);
    from = newline + 1;
  }
  yield text.slice(from);
}

/** What is shown of a hunk. */
interface HunkPart {
  readonly lines: readonly ViewLine[];
  readonly cut: boolean;
}

/** Core hunks take what they need of the room, the others share the rest. */
export function fitHunks(hunks: readonly ShownHunk[], bytes: number): ReadonlyMap<ShownHunk, HunkPart> {
  const parts = new Map<ShownHunk, HunkPart>();
  const { core = [], rest = [] } = Object.groupBy(hunks, (hunk) => (hunk.core ? "core" : "rest"));
  fitGroup(rest, fitGroup(core, bytes, parts), parts);
  return parts;
}

/** First what fits whole, in order; then head and tail of the others, with the same room for each. Returns the bytes left. */
function fitGroup(group: readonly ShownHunk[], bytes: number, parts: Map<ShownHunk, HunkPart>): number {
  let left = bytes;
  const large: ShownHunk[] = [];
  for (const hunk of group)
    if (hunk.bytes > left) large.push(hunk);
    else {
      parts.set(hunk, { lines: hunk.lines, cut: hunk.partial });
      left -= hunk.bytes;
    }
  const places = Math.min(large.length, Math.floor(left / WORTHY_BYTES));
  for (const [index, hunk] of large.slice(0, places).entries()) {
    const lines = headAndTail(hunk.lines, Math.floor(left / (places - index)));
    parts.set(hunk, { lines, cut: true });
    left -= linesBytes(lines);
  }
  return left;
}

/** The file's name and the header of the hunk, then as much of its head and tail as fits. Long lines are clipped. */
function headAndTail(lines: readonly ViewLine[], bytes: number): ViewLine[] {
  const short = lines.map((line) => ({ ...line, text: clip(line.text, LINE_CHARS) }));
  const [heads, body] = [short.slice(0, 2), short.slice(2)];
  const room = Math.max(0, bytes - linesBytes(heads) - lineBytes(LEFT_OUT));
  const texts = body.map(({ text }) => text);
  const { head, tail } = endsThatFit(texts, room);
  const note: ViewLine = { text: LEFT_OUT, authored: false, item: null };
  return [...heads, ...body.slice(0, head), note, ...body.slice(body.length - tail)];
}

/** What a judge needs first comes first. Generated files are named and never shown. */
const FILE_KINDS = ["source", "test", "config", "generated"] as const;
type FileKind = (typeof FILE_KINDS)[number];

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb)$|\.(?:lock|map|snap|min\.js|min\.css)$|(?:^|\/)(?:dist|vendor|third_party|coverage|__snapshots__)\//;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/;
const CONFIG = /\.(?:json|ya?ml|toml|ini|cfg|conf|xml|properties|md|txt)$|(?:^|\/)(?:\.[^/]+|Dockerfile|Makefile)$/;

export function fileKind(path: string): FileKind {
  if (GENERATED.test(path)) return "generated";
  if (TEST.test(path)) return "test";
  return CONFIG.test(path) ? "config" : "source";
}

export interface Hunk {
  readonly path: string;
  /** Header and lines, as they stand in the patch. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  readonly before: LineRange;
  readonly after: LineRange;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * The hunks of a unified diff. The counts in a hunk's header say where it ends, so a changed line that looks like a header
 * is still a line. Text outside hunks is skipped. Takes time in proportion to the length and lets others have their turn.
 */
export async function readHunks(patch: string): Promise<Hunk[]> {
  const pace = new Pace();
  const hunks: Hunk[] = [];
  let path: string | undefined;
  for (let at = 0; at < patch.length; ) {
    const [line, next] = [lineAt(patch, at), lineAt(patch, lineEnd(patch, at) + 1)];
    const hunk = path === undefined ? undefined : hunkAt(patch, at, path);
    if (hunk) hunks.push(hunk);
    else if (isFileHeader(line, next)) path = pathOf(next.slice(4)) ?? pathOf(line.slice(4));
    const end = hunk ? at + hunk.text.length + 1 : lineEnd(patch, at) + 1;
    await pace.bytes(end - at);
    at = end;
  }
  return hunks;
}

const isFileHeader = (line: string, next: string) => line.startsWith("--- ") && next.startsWith("+++ ");

/** Where the line around `at` ends, without its newline. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

const lineAt = (text: string, at: number) => text.slice(at, lineEnd(text, at));

function hunkAt(patch: string, at: number, path: string): Hunk | undefined {
  const header = patch.startsWith("@@ ", at) ? HEADER.exec(lineAt(patch, at)) : null;
  if (!header) return undefined;
  const { end, added, removed } = countLines(patch, lineEnd(patch, at), header);
  const [before, after] = [range(header[1], header[2]), range(header[3], header[4])];
  return { path, text: patch.slice(at, end), added, removed, before, after };
}

/** Counts from the end of the header until its counts are used up. A note on a missing newline belongs to the hunk. */
function countLines(patch: string, start: number, header: RegExpExecArray) {
  const [removable, addable] = [Number(header[2] ?? 1), Number(header[4] ?? 1)];
  let [end, added, removed, kept] = [start, 0, 0, 0];
  while (end < patch.length && (removed + kept < removable || added + kept < addable)) {
    const sign = patch.charAt(end + 1);
    if (sign === "+") added += 1;
    else if (sign === "-") removed += 1;
    else if (sign !== "\\") kept += 1;
    end = lineEnd(patch, end + 1);
  }
  return { end: patch.startsWith("\n\\", end) ? lineEnd(patch, end + 1) : end, added, removed };
}

function range(start = "0", count = "1"): LineRange {
  return [Number(start), Number(start) + Math.max(0, Number(count) - 1)];
}

/** The path without git's prefix, quotes and time stamp; undefined for `/dev/null`. */
function pathOf(name: string): string | undefined {
  const bare = unquoted(name.split("\t")[0] ?? "");
  return bare === "/dev/null" ? undefined : bare.replace(/^[ab]\//, "");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

/** Git quotes names that are not plain ASCII: as C escapes, or bytes in octal. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, character: string) =>
      octal === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
  return Buffer.from(bytes, "latin1").toString();
}
