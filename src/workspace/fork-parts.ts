import type { PristineTree } from "./pristine-tree.ts";
import type { TreeEntry } from "./tree/walk.ts";

/** What a fork is made of; the parts share no path. */
export interface ForkParts {
  /** The arm's work. */
  readonly work: readonly TreeEntry[];
  /** What never counts as work, as it was before the arm began: nobody sees a change to it, so none may take effect. */
  readonly kept: readonly TreeEntry[];
}

/** @param work what counts as work in the arm's tree */
export function forkParts(work: readonly TreeEntry[], pristine: PristineTree): ForkParts {
  const standing = new Map(work.map(({ path, kind }) => [path, kind]));
  const counted = new Set(pristine.work);
  const ignored = pristine.entries.filter((entry) => !counted.has(entry));
  const parents = new Set(ignored.flatMap(({ path }) => parentsOf(path)));
  // A parent that the arm made a file or a link is a change that shows; nothing may be written through it.
  const isBlocked = ({ path }: TreeEntry) =>
    parentsOf(path).some((parent) => (standing.get(parent) ?? "directory") !== "directory");
  const kept = [...ignored, ...pristine.entries.filter(({ path }) => parents.has(path))];
  const byPath = new Map(kept.map((entry) => [entry.path, entry]));
  return { work, kept: [...byPath.values()].filter((entry) => !standing.has(entry.path) && !isBlocked(entry)) };
}

const parentsOf = (path: string): readonly string[] => {
  const steps = path.split("/");
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("/"));
};
