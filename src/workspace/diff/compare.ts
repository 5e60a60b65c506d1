import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { sameBytes } from "../tree/contents.ts";
import type { Snapshot } from "../tree/snapshot.ts";
import { breathe, type TreeEntry } from "../tree/walk.ts";

export interface Side {
  readonly root: string;
  readonly entries: readonly TreeEntry[];
}

export interface Difference {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

/** Files compared between two moments in which others may run. */
const BATCH = 100;

export interface CompareOptions {
  /** A file that became executable, or is so no more, differs too. */
  readonly executable: boolean;
}

/**
 * Paths at which two trees differ, sorted; directories count only by what they hold, modes only as `options` say.
 * Reads only files that `snapshot` of the second tree does not vouch for.
 */
export async function compareTrees(
  before: Side,
  after: Side,
  snapshot: Snapshot,
  options: CompareOptions = { executable: false },
): Promise<readonly Difference[]> {
  const [old, now] = [byPath(before), byPath(after)];
  const differences: Difference[] = [];
  let compared = 0;
  for (const path of new Set([...old.keys(), ...now.keys()])) {
    const difference = { path, before: old.get(path), after: now.get(path) };
    if (difference.after && difference.before && snapshot.surelyUnchanged(difference.after)) continue;
    compared += 1;
    if (compared % BATCH === 0) await breathe();
    const sameMode = !options.executable || isExecutable(difference.before) === isExecutable(difference.after);
    if (!sameMode || !isSame(difference, before.root, after.root)) differences.push(difference);
  }
  return differences.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const byPath = ({ entries }: Side) =>
  new Map(entries.filter((entry) => entry.kind !== "directory").map((entry) => [entry.path, entry]));

const isExecutable = (entry: TreeEntry | undefined) => entry?.kind === "file" && (entry.mode & 0o100) !== 0;

function isSame({ path, before, after }: Difference, rootBefore: string, rootAfter: string): boolean {
  if (!before || !after || before.kind !== after.kind || before.size !== after.size) return false;
  if (before.kind === "link") return targetAt(rootBefore, path).equals(targetAt(rootAfter, path));
  return before.kind === "file" && sameBytes(rootBefore, rootAfter, path);
}

const targetAt = (root: string, path: string) => readlinkSync(join(root, path), { encoding: "buffer" });
