import { count, countOf } from "../format.ts";
import type { FileChange } from "./file-change.ts";

/** Lines added and removed, where they are counted. */
export function LineCounts({ change: { added, removed } }: { change: Pick<FileChange, "added" | "removed"> }) {
  if (added === null || removed === null) return null;
  return (
    <span class="quantity">
      <span class="added-count">+{count(added)}</span> <span class="removed-count">−{count(removed)}</span>
      <span class="hidden-text">
        {countOf(added, "line")} added, {countOf(removed, "line")} removed
      </span>
    </span>
  );
}
