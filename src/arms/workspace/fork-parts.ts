import { Pace } from "../../runtime/pace.ts";
import type { PristineTree } from "./pristine-tree.ts";
import { parentsOf } from "./tree/parents-of.ts";
import type { TreeEntry } from "./tree/walk.ts";

/** What a fork is made of; the parts share no path. */
interface ForkParts {
  /** The arm's work. */
  readonly work: readonly TreeEntry[];
  /** What does not count as work, as it was before the arm: nobody sees a change to it, so none may take effect. */
  readonly kept: readonly TreeEntry[];
}

/** @param work what counts as work in the arm's tree */
export function forkParts(work: readonly TreeEntry[], pristine: PristineTree): ForkParts {
  const standing = new Map(work.map(({ path, kind }) => [path, kind]));
  const counted = new Set(pristine.work);
  const ignored = pristine.entries.filter((entry) => !counted.has(entry));
  const parents = new Set(ignored.flatMap(({ path }) => parentsOf(path)));
  // The arm may have replaced a parent by a file or a link. That change shows, and nothing is written through it.
  const isBlocked = ({ path }: TreeEntry) =>
    parentsOf(path).some((parent) => (standing.get(parent) ?? "directory") !== "directory");
  const kept = [...ignored, ...pristine.entries.filter(({ path }) => parents.has(path))];
  const byPath = new Map(kept.map((entry) => [entry.path, entry]));
  return { work, kept: [...byPath.values()].filter((entry) => !standing.has(entry.path) && !isBlocked(entry)) };
}

/**
 * The entries that lie neither at some paths nor below them. What is replaced anyway is not copied first.
 * @param entries a directory before what it holds
 */
export async function notAt(
  replaced: ReadonlySet<string>,
  entries: readonly TreeEntry[],
): Promise<readonly TreeEntry[]> {
  const pace = new Pace();
  const leftOut = new Set<string>();
  const rest: TreeEntry[] = [];
  for (const entry of entries) {
    await pace.path(entry.path);
    const parent = entry.path.slice(0, Math.max(entry.path.lastIndexOf("/"), 0));
    if (!replaced.has(entry.path) && !leftOut.has(parent)) rest.push(entry);
    else if (entry.kind === "directory") leftOut.add(entry.path);
  }
  return rest;
}
