import { applyPatch, formatPatch, type StructuredPatch } from "diff";
import type { ChangedFile, Changes } from "../../domain/evidence.ts";
import { type FileChange, linesOf, patchesByPath, textChange, timeForEach, withCounts } from "./file-change.ts";

/** What differs from arm a's work to arm b's. A file that one arm left alone is known from the other's change. */
export function armAgainstArm(a: Changes, b: Changes): FileChange[] {
  const left = byPath(a);
  const right = byPath(b);
  const paths = union(left.keys(), right.keys());
  const timeout = timeForEach(paths.length);
  return paths.flatMap((path) => {
    const [ofA, ofB] = [left.get(path), right.get(path)];
    if (!isComparable(ofA) || !isComparable(ofB)) return unknown(path, ofA ?? ofB);
    const from = ofA ? ofA.after : (ofB?.before ?? null);
    const to = ofB ? ofB.after : (ofA?.before ?? null);
    return textChange(path, from, to, timeout) ?? [];
  });
}

/** What differs from the known fix to the arm's work. Where the arm left a file alone, the fix's own lines are shown. */
export function armAgainstReference(reference_patch: string, arm: Changes): FileChange[] {
  const patches = patchesByPath(reference_patch);
  const files = byPath(arm);
  const paths = union(patches.keys(), files.keys());
  const timeout = timeForEach(paths.length);
  return paths.flatMap((path) => {
    const [patch, file] = [patches.get(path), files.get(path)];
    if (!patch)
      return file
        ? withNote(textChange(path, file.before, file.after, timeout), "The known fix leaves this file alone.")
        : [];
    if (!file) return onlyReference(path, patch);
    const fixed = isComparable(file) ? fixedText(file, patch) : undefined;
    return fixed === undefined ? unknown(path, file) : (textChange(path, fixed, file.after, timeout) ?? []);
  });
}

const byPath = ({ files }: Changes) => new Map(files.map((file) => [file.path, file]));
const union = (...paths: Iterable<string>[]) => [...new Set(paths.flatMap((each) => [...each]))].sort();

/** Whether both texts of the file are known. A file that the arm left alone is as in the fixture. */
function isComparable(file: ChangedFile | undefined): boolean {
  if (!file) return true;
  const { status, before, after, binary } = file;
  return !binary && (before !== null || status === "added") && (after !== null || status === "deleted");
}

function unknown(path: string, file: ChangedFile | undefined): FileChange[] {
  const note = file?.binary ? "A binary file; its bytes are not shown." : "Too large to be kept for comparison.";
  return [{ path, status: "modified", added: 0, removed: 0, lines: [], before: null, after: null, note }];
}

const withNote = (change: FileChange | null, note: string): FileChange[] => (change ? [{ ...change, note }] : []);

function onlyReference(path: string, patch: StructuredPatch): FileChange[] {
  const note = "Only the known fix changes this file; the arm left it alone. These are the fix's own lines.";
  return [{ path, status: "modified", ...withCounts(linesOf(patch)), before: null, after: null, note }];
}

/** The file of the fixture with the known fix. Null: the fix removes it. Undefined: the fix does not apply. */
function fixedText(file: ChangedFile, patch: StructuredPatch): string | null | undefined {
  if (patch.newFileName === "/dev/null") return null;
  const fixed = applyPatch(file.before ?? "", formatPatch({ ...patch, isGit: false }));
  return fixed === false ? undefined : fixed;
}
