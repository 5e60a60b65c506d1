import { applyPatch, formatPatch, type StructuredPatch } from "diff";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { pathOfPatch, readPatch } from "../../../domain/patch.ts";
import { type FileChange, fileChangesOf, lineCountsOf, linesOf, once, textChange } from "./file-change.ts";

/** What differs from the reference fix to the arm's work. Where the arm left a file alone, the fix's own lines are shown. */
export function armAgainstReference(reference_patch: string, arm: Changes): FileChange[] {
  const patches = filesOf(reference_patch);
  const files = new Map(arm.files.map((file) => [file.path, file]));
  const own = new Map(fileChangesOf(arm).map((change) => [change.path, change]));
  return [...new Set([...patches.keys(), ...files.keys()])].sort().flatMap((path) => {
    const [patch, file, change] = [patches.get(path), files.get(path), own.get(path)];
    if (!patch) return change ? withNote(change, "The reference fix leaves this file alone.") : [];
    if (!file) return onlyReference(path, patch);
    const fixed = isKept(file) ? fixedText(file, patch) : undefined;
    return fixed === undefined ? unknown(file) : (textChange(path, fixed, file.after) ?? []);
  });
}

/** The files of a fix, which may lack git's own lines. A patch that cannot be read has none. */
function filesOf(patch: string): ReadonlyMap<string, StructuredPatch> {
  try {
    return new Map(readPatch(patch).map((file) => [pathOfPatch(file), file.parsed]));
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

function onlyReference(path: string, patch: StructuredPatch): FileChange {
  const note = "Only the reference fix changes this file; the arm left it alone. These are the fix's own lines.";
  const lines = linesOf(patch);
  const text = { lines, before: null, after: null, note };
  return { path, status: "modified", ...lineCountsOf(lines), size: lines.length, read: () => text };
}

/** The file of the fixture with the reference fix. Null: the fix removes it. Undefined: the fix does not apply. */
function fixedText(file: ChangedFile, patch: StructuredPatch): string | null | undefined {
  if (patch.newFileName === "/dev/null") return null;
  const fixed = applyPatch(file.before ?? "", formatPatch({ ...patch, isGit: false }));
  return fixed === false ? undefined : fixed;
}
