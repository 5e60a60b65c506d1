import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { Pace } from "../../../runtime/pace.ts";
import { isOutOfReach } from "../io-failure.ts";
import { chunksOf } from "../tree/contents.ts";
import type { Snapshot } from "../tree/snapshot.ts";
import { sortedByPath, type TreeEntry } from "../tree/walk.ts";

interface Side {
  readonly root: string;
  readonly entries: readonly TreeEntry[];
}

export interface TreeDifference {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

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
): Promise<readonly TreeDifference[]> {
  const [old, now] = [byPath(before.entries), byPath(after.entries)];
  const differences: TreeDifference[] = [];
  const pace = new Pace();
  for (const path of new Set([...old.keys(), ...now.keys()])) {
    const difference = { path, before: old.get(path), after: now.get(path) };
    await pace.path(path);
    if (difference.after && difference.before && snapshot.surelyUnchanged(difference.after)) continue;
    const sameMode = !options.executable || isExecutable(difference.before) === isExecutable(difference.after);
    if (!sameMode || !(await isSame(difference, before.root, after.root))) differences.push(difference);
  }
  return await sortedByPath(differences);
}

/** Files that are executable in one of two trees alone, sorted; those that only `before` has are left out. */
export async function changedModes(before: Side["entries"], after: Side["entries"]): Promise<readonly string[]> {
  const old = byPath(before.filter(isExecutable));
  const pace = new Pace();
  const changed: TreeEntry[] = [];
  for (const entry of after) {
    await pace.path(entry.path);
    if (entry.kind === "file" && isExecutable(entry) !== old.has(entry.path)) changed.push(entry);
  }
  return (await sortedByPath(changed)).map(({ path }) => path);
}

const byPath = (entries: Side["entries"]) =>
  new Map(entries.filter((entry) => entry.kind !== "directory").map((entry) => [entry.path, entry]));

const isExecutable = (entry: TreeEntry | undefined) => entry?.kind === "file" && (entry.mode & 0o100) !== 0;

async function isSame(
  { path, before, after }: TreeDifference,
  rootBefore: string,
  rootAfter: string,
): Promise<boolean> {
  if (!before || !after || before.kind !== after.kind || before.size !== after.size) return false;
  try {
    if (before.kind === "link") return targetAt(rootBefore, path).equals(targetAt(rootAfter, path));
    return before.kind === "file" && (await sameBytes(rootBefore, rootAfter, path));
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return false;
  }
}

/** Two regular files of the same size hold the same bytes. */
async function sameBytes(rootA: string, rootB: string, path: string): Promise<boolean> {
  const pace = new Pace();
  const others = chunksOf(rootB, path);
  try {
    for (const chunk of chunksOf(rootA, path)) {
      const other = others.next();
      if (other.done || Buffer.compare(chunk, other.value) !== 0) return false;
      await pace.bytes(2 * chunk.length);
    }
    return others.next().done === true;
  } finally {
    // It holds a file open until it is told to end.
    others.return(undefined);
  }
}

const targetAt = (root: string, path: string) => readlinkSync(join(root, path), { encoding: "buffer" });
