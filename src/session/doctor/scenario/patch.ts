import { parsePatch } from "diff";
import type { ReferenceFix } from "../../../domain/scenario.ts";
import { patchedPath } from "../../../evidence/reference-fix.ts";

/** What a patch does to one file, without the marks in front of the lines. */
export interface FilePatch {
  readonly path: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function filePatches(reference: ReferenceFix | null): readonly FilePatch[] {
  if (reference === null) return [];
  return parsePatch(reference.patch).flatMap((file) => {
    const path = patchedPath(file);
    if (path === undefined) return [];
    const lines = file.hunks.flatMap((hunk) => hunk.lines);
    const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
    return [{ path, added: marked("+"), removed: marked("-") }];
  });
}

/** Files that the reference touches. */
export const patchPaths = (reference: ReferenceFix | null): readonly string[] =>
  filePatches(reference).map(({ path }) => path);
