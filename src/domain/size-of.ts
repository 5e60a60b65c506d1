import type { Changes } from "./evidence.ts";

/** Whether the changes are unknown. Then `files` says nothing. */
export const isUnknown = ({ unknown }: Pick<Changes, "unknown">): boolean => typeof unknown === "string";

/** Files and lines that differ; null when the changes are unknown. */
export function sizeOf(changes: Changes | null) {
  if (changes === null || isUnknown(changes)) return { changed_files: null, added: null, removed: null };
  const sum = (count: "added" | "removed") => changes.files.reduce((total, file) => total + file[count], 0);
  return { changed_files: changes.files.length, added: sum("added"), removed: sum("removed") };
}
