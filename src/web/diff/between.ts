import { applyPatch, formatPatch, type StructuredPatch } from "diff";
import type { ChangedFile, Changes } from "../../domain/evidence.ts";
import { type FileChange, linesOf, patchesByPath, textChange } from "./file-change.ts";

/** From what `a` left to what `b` left. Both began with the same fixture, so a file only one of them touched is known too. */
export function armAgainstArm(a: Changes, b: Changes): FileChange[] {
  const left = byPath(a);
  const right = byPath(b);
  return union(left.keys(), right.keys()).flatMap((path) => {
    const [ofA, ofB] = [left.get(path), right.get(path)];
    if (!isComparable(ofA) || !isComparable(ofB)) return unknown(path, ofA ?? ofB);
    const from = ofA ? ofA.after : (ofB?.before ?? null);
    const to = ofB ? ofB.after : (ofA?.before ?? null);
    return textChange(path, from, to) ?? [];
  });
}

/** From the known fix to what the arm left, where the arm's file is known; else the fix's own lines. */
export function armAgainstReference(reference_patch: string, arm: Changes): FileChange[] {
  const patches = patchesByPath(reference_patch);
  const files = byPath(arm);
  return union(patches.keys(), files.keys()).flatMap((path) => {
    const [patch, file] = [patches.get(path), files.get(path)];
    if (!patch)
      return file ? withNote(textChange(path, file.before, file.after), "The known fix leaves this file alone.") : [];
    if (!file) return onlyReference(path, patch);
    const fixed = isComparable(file) ? fixedText(file, patch) : undefined;
    return fixed === undefined ? unknown(path, file) : (textChange(path, fixed, file.after) ?? []);
  });
}

const byPath = ({ files }: Changes) => new Map(files.map((file) => [file.path, file]));
const union = (...paths: Iterable<string>[]) => [...new Set(paths.flatMap((each) => [...each]))].sort();

/** Its text is known in full on both sides; a file that an arm did not touch is as the fixture has it. */
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
  const lines = linesOf(patch);
  const added = lines.filter(({ kind }) => kind === "added").length;
  const removed = lines.filter(({ kind }) => kind === "removed").length;
  const note = "Only the known fix changes this file; the arm left it alone. These are the fix's own lines.";
  return [{ path, status: "modified", added, removed, lines, before: null, after: null, note }];
}

/** The fixture's file with the known fix applied; null when the fix removes it, undefined when it does not apply. */
function fixedText(file: ChangedFile, patch: StructuredPatch): string | null | undefined {
  if (patch.newFileName === "/dev/null") return null;
  const fixed = applyPatch(file.before ?? "", formatPatch({ ...patch, isGit: false }));
  return fixed === false ? undefined : fixed;
}
