import { parsePatch, type StructuredPatch } from "diff";

/** What a unified diff does to one file. */
export interface FilePatch {
  /** Where the file is before, null for a new one; without git's `a/`. */
  readonly from: string | null;
  /** Where it is afterwards, null when it is removed; without git's `b/`. */
  readonly to: string | null;
  /** The patch in the diff library's form. */
  readonly parsed: StructuredPatch;
}

/** The files that a unified diff names; what is no diff names none. @throws Error that says which line cannot be read */
export const readPatch = (patch: string): readonly FilePatch[] =>
  parsePatch(patch)
    .map((parsed) => ({
      from: parsed.isCreate ? null : pathOf(parsed.oldFileName, "a/"),
      to: parsed.isDelete ? null : pathOf(parsed.newFileName, "b/"),
      parsed,
    }))
    .filter(({ from, to }) => from !== null || to !== null);

/** Where a reader looks for the file: its new place, or the one it had. */
export const pathOfPatch = ({ from, to }: FilePatch): string => to ?? from ?? "";

/** The files that a unified diff changes. */
export const patchedPaths = (patch: string): readonly string[] => readPatch(patch).map(pathOfPatch);

/** The lines with one mark, the mark taken off. */
export const linesOfPatch = ({ parsed }: FilePatch, mark: "+" | "-"): readonly string[] =>
  parsed.hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1)));

function pathOf(name: string | undefined, prefix: string): string | null {
  if (name === undefined || name === "/dev/null") return null;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
