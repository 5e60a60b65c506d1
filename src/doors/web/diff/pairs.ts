import type { DiffLine } from "./file-change.ts";
import type { Hidden, ShownLine } from "./with-context.ts";

/** What stands beside each other: both versions of a line, or one side alone. */
export interface LinePair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Removed lines stand beside the added ones that follow them, in their order. */
export function pairsOf(lines: readonly ShownLine[]): readonly (LinePair | Hidden)[] {
  const pairs: (LinePair | Hidden)[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push({ left: removed[index] ?? null, right: added[index] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed" && added.length > 0) flush();
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push(line.kind === "hidden" ? line : { left: line, right: line });
    }
  }
  flush();
  return pairs;
}

export const isHidden = (row: object): row is Hidden => "kind" in row && row.kind === "hidden";

/** The other version of each line that has one. */
export const matesOf = (pairs: readonly (LinePair | Hidden)[]): ReadonlyMap<DiffLine, DiffLine> =>
  new Map(
    pairs.flatMap((pair) => {
      if (isHidden(pair) || pair.left === null || pair.right === null || pair.left === pair.right) return [];
      return [
        [pair.left, pair.right],
        [pair.right, pair.left],
      ] as const;
    }),
  );
