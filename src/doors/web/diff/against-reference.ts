import { applyingPatch, PatchEffort } from "../../../domain/apply-patch.ts";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { Mistake } from "../../../domain/failure.ts";
import { atOnce, type FilePatch, pathOfPatch, readPatch } from "../../../domain/patch.ts";
import { type FileChange, fileChangesOf, laterChange, lineCountsOf, linesOf, once, textChange } from "./file-change.ts";

/** Characters of all files whose differences are counted before somebody opens one. */
const COUNTED_CHARS = 400_000;

/** What differs from the reference fix to the arm's work. Where the arm left a file alone, the fix's own lines are shown. */
export function armAgainstReference(reference_patch: string, arm: Changes): FileChange[] {
  const patches = filesOf(reference_patch);
  const files = new Map(arm.files.map((file) => [file.path, file]));
  const own = new Map(fileChangesOf(arm).map((change) => [change.path, change]));
  const fixing = new Fixing();
  return [...new Set([...patches.keys(), ...files.keys()])].sort().flatMap((path) => {
    const [patch, file, change] = [patches.get(path), files.get(path), own.get(path)];
    if (!patch) return change ? withNote(change, "The reference fix leaves this file alone.") : [];
    if (!file) return onlyReference(path, patch);
    return (isKept(file) ? fixing.changeOf(file, patch) : unknown(file)) ?? [];
  });
}

/** Compares files with the fix, as long as that is no work for a page that is being drawn. */
class Fixing {
  readonly #effort = new PatchEffort();
  #room = COUNTED_CHARS;

  /** Null where the arm's file is as the fix makes it. */
  changeOf(file: ChangedFile, patch: FilePatch): FileChange | null {
    const before = fixedText(file, patch, this.#effort);
    if (before === undefined) return unknown(file);
    const { path, after } = file;
    this.#room -= (before ?? "").length + (after ?? "").length;
    return (this.#room < 0 ? laterChange : textChange)(path, { before, after });
  }
}

/** The files of a fix, which may lack git's own lines. A patch that cannot be read has none. */
function filesOf(patch: string): ReadonlyMap<string, FilePatch> {
  try {
    return new Map(readPatch(patch).map((file) => [pathOfPatch(file), file]));
  } catch {
    return new Map();
  }
}

/** Whether both texts of the file are known. */
export const isKept = ({ status, before, after, binary }: ChangedFile): boolean =>
  !binary && (before !== null || status === "added") && (after !== null || status === "deleted");

function unknown({ path, status, added, removed, binary }: ChangedFile): FileChange {
  const note = binary ? "A binary file; its bytes are not shown." : "Too large to be kept for comparison.";
  const text = { lines: [], before: null, after: null, note };
  return { path, status, added, removed, size: 0, read: () => text };
}

const withNote = (change: FileChange, note: string): FileChange => ({
  ...change,
  read: once(() => ({ ...change.read(), note })),
});

function onlyReference(path: string, patch: FilePatch): FileChange {
  const note = "Only the reference fix changes this file; the arm left it alone. These are the fix's own lines.";
  const lines = linesOf(patch);
  const text = { lines, before: null, after: null, note };
  return { path, status: "modified", ...lineCountsOf(lines), size: lines.length, read: () => text };
}

/** The file of the fixture with the reference fix. Null: the fix removes it. Undefined: the fix does not apply. */
function fixedText(file: ChangedFile, patch: FilePatch, effort: PatchEffort): string | null | undefined {
  if (patch.to === null) return null;
  try {
    return atOnce(applyingPatch(file.before ?? "", patch, effort));
  } catch (error) {
    if (error instanceof Mistake) return undefined;
    throw error;
  }
}
