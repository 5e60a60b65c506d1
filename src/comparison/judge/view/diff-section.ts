import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { counted } from "../../../domain/number-text.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { breathe } from "../../../runtime/pace.ts";
import { cleanLine } from "./clean-text.ts";
import { clip } from "./clip.ts";
import type { HiddenNotes } from "./hidden-notes.ts";
import type { BlindChanges } from "./identity-redactor.ts";
import { linesBytes, type Section, type ViewLine } from "./section.ts";
import { fileKind, fitHunks, type Hunk, type NameOf, readHunks, type ShownHunk, shownHunks } from "./shown-hunks.ts";

/** Changed files listed by name. */
const LISTED_FILES = 200;

/** Files that get a note of their own on what is left out. */
const NOTED_FILES = 20;

/** The change, read but not yet cut. */
interface DiffDraft {
  readonly changes: Changes | null;
  readonly hunks: readonly Hunk[];
  readonly list: readonly ViewLine[];
  readonly showable: readonly ShownHunk[];
  /** A path as a judge may read it. */
  readonly nameOf: NameOf;
  /** What showing all of it takes; `limit` when it takes more. */
  readonly bytes: number;
}

interface DiffWords {
  readonly deliverable: readonly string[];
  readonly hidden?: HiddenNotes | undefined;
  /** What files are called instead of by their paths. */
  readonly called?: ((path: string) => string) | undefined;
}

export async function draftDiff(
  { changes, notes }: Pick<BlindChanges, "changes" | "notes">,
  limit: number,
  { deliverable, hidden, called = (path) => path }: DiffWords,
): Promise<DiffDraft> {
  const all = changes ? await readHunks(changes.patch) : [];
  await breathe();
  const hunks = all.filter(({ path }) => !notes.has(path));
  const nameOf = (path: string) => shownPath(hidden ? hidden.path(called(path)) : called(path));
  const list = [...(changes ? fileList(changes.files, hunks, nameOf) : []), ...notesLine(notes.size)];
  const showable = await shownHunks(hunks, deliverable, { limit, nameOf, hide: hidden?.text });
  const wanted = showable.reduce((sum, { bytes }) => sum + bytes, linesBytes(list));
  return { changes, hunks, list, showable, nameOf, bytes: Math.min(limit, wanted) };
}

/** Characters of a path that are shown. */
const PATH_CHARS = 200;

/** A path is the arm's text too. */
const shownPath = (path: string) => clip(cleanLine(path), PATH_CHARS);

/** All changed files by name, then the hunks that fit. A view that has room for everything shows everything. */
export function diffSection({ changes, hunks, list, showable, nameOf }: DiffDraft, bytes: number): Section {
  const base = { name: "diff", title: "Changes to the workspace (unified diff against the start)" } as const;
  if (changes === null || list.length === 0) {
    const unknown = changes === null || typeof changes.unknown === "string";
    const text = unknown ? `The changes are not known. ${changes?.unknown ?? ""}`.trim() : "No file was changed.";
    const line: ViewLine = { text, authored: false, item: { kind: "diff", ref: "none" } };
    return { ...base, lines: [line], omissions: [], core_cut: unknown };
  }
  const parts = fitHunks(showable, bytes - linesBytes(list));
  const left_out = showable.filter((hunk) => !parts.has(hunk));
  const cut = [...parts].filter(([, part]) => part.cut).map(([hunk]) => hunk);
  const unstored = missingFromPatch(changes, hunks);
  return {
    ...base,
    lines: [...list, ...showable.flatMap((hunk) => parts.get(hunk)?.lines ?? [])],
    omissions: [
      ...omissions(left_out, "left out for space", nameOf),
      ...omissions(cut, "without the middle, for space", nameOf),
      ...(unstored ? ["The stored diff itself was cut to its cap."] : []),
    ],
    core_cut: unstored || [...left_out, ...cut].some(({ core }) => core),
  };
}

const notesLine = (count: number): ViewLine[] =>
  count === 0
    ? []
    : [
        {
          text: `added ${counted(count, "notes file")} of the agent for itself, not shown`,
          authored: false,
          item: null,
        },
      ];

/** A file with changed lines has no hunk. `truncated` alone can also mean that only the text of a file was not kept. */
function missingFromPatch({ truncated, files }: Changes, hunks: readonly Hunk[]): boolean {
  if (!truncated) return false;
  const patched = new Set(hunks.map(({ path }) => path));
  return files.some(
    ({ path, added, removed }) => added + removed > 0 && !patched.has(path) && fileKind(path) !== "generated",
  );
}

function fileList(files: readonly ChangedFile[], hunks: readonly Hunk[], nameOf: NameOf): ViewLine[] {
  const hunksOf = Map.groupBy(hunks, ({ path }) => path);
  const listed = files.slice(0, LISTED_FILES).map((file): ViewLine => {
    const ref = nameOf(file.path);
    const counts = file.binary ? "binary" : `+${file.added} -${file.removed}`;
    return {
      text: `${file.status} ${ref} ${counts}${hashNote(file.path, hunksOf.get(file.path) ?? [])}`,
      authored: true,
      item: { kind: "diff", ref },
    };
  });
  const more = files.length - listed.length;
  if (more > 0) listed.push({ text: `and ${more} more changed files, not listed`, authored: false, item: null });
  return listed;
}

function hashNote(path: string, hunks: readonly Hunk[]): string {
  if (fileKind(path) !== "generated") return "";
  const text = hunks.map((hunk) => hunk.text).join("\n");
  return ` (generated, not shown: ${text.length} characters, sha256 ${sha256(text).slice(0, 12)})`;
}

function omissions(hunks: readonly ShownHunk[], how: string, nameOf: NameOf): string[] {
  const files = Map.groupBy(hunks, ({ hunk }) => hunk.path);
  const notes = [...files].slice(0, NOTED_FILES).map(([path, group]) => {
    const sum = (count: "added" | "removed") => group.reduce((total, { hunk }) => total + hunk[count], 0);
    return `${nameOf(path)}: ${counted(group.length, "hunk")} ${how} (+${sum("added")} -${sum("removed")}).`;
  });
  const more = files.size - notes.length;
  return more > 0 ? [...notes, `${more} more files with hunks ${how}.`] : notes;
}
