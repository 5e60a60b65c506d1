import { readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Changes } from "../../domain/evidence.ts";
import { globBases } from "../../domain/path-glob.ts";
import type { Clock } from "../../runtime/clock.ts";
import { Pace } from "../../runtime/pace.ts";
import { MAX_WORKSPACE_ENTRIES } from "../sandbox/limits.ts";
import type { Owner } from "../sandbox/sandbox.ts";
import { describeChanges, MAX_LISTED_FILES } from "./diff/changes.ts";
import { type CompareOptions, changedModes, compareTrees, type TreeDifference } from "./diff/compare.ts";
import { TreeTooLarge, workspaceFailed } from "./io-failure.ts";
import type { LaidNotes } from "./laid-notes.ts";
import { layOver, overlaidPaths } from "./lay-over.ts";
import { fitting, type PristineTree } from "./pristine-tree.ts";
import { readRegular } from "./tree/contents.ts";
import { copyEntries, copyTree } from "./tree/copy-tree.ts";
import { place, placeLink } from "./tree/place.ts";
import { Snapshot } from "./tree/snapshot.ts";
import { parentsOf, type TreeEntry, type WalkOptions, walk } from "./tree/walk.ts";
import type { FileSource } from "./workspace.ts";

/** An arm's files on disk, and those that it started with. The arm must not run while they are read. */
export interface WorkingCopy {
  readonly root: string;
  readonly pristine: PristineTree;
  /** Its files when it was made. */
  readonly snapshot: Snapshot;
  /** The arm's own files among them; absent: it has none. */
  readonly notes?: LaidNotes;
}

/** The entries without the arm's own files. */
const withoutNotes = ({ notes }: WorkingCopy, entries: readonly TreeEntry[]): readonly TreeEntry[] =>
  notes ? entries.filter(({ path }) => !notes.has(path)) : entries;

/** Differences that restore the fixture's files at the paths of the arm's own files. */
const notedDifferences = ({ notes, pristine }: WorkingCopy): readonly TreeDifference[] => {
  if (!notes) return [];
  const before = new Map(pristine.entries.map((entry) => [entry.path, entry]));
  return notes.paths.map((path) => ({ path, before: before.get(path), after: undefined }));
};

/** The current files that count as work. @throws TreeTooLarge */
export const workOf = (
  { root, pristine }: WorkingCopy,
  options?: Pick<WalkOptions, "from">,
): Promise<readonly TreeEntry[]> =>
  walk(root, {
    ...options,
    skip: pristine.isIgnored,
    max_entries: MAX_WORKSPACE_ENTRIES + pristine.entries.length,
  });

/** @throws TreeTooLarge */
export async function changesOf(copy: WorkingCopy): Promise<Changes> {
  const { root, pristine, snapshot } = copy;
  const before = { root: pristine.root, entries: withoutNotes(copy, pristine.work) };
  const entries = withoutNotes(copy, await workOf(copy));
  const differences = await compareTrees(before, { root, entries }, snapshot);
  const changes = await describeChanges(differences, { before: pristine.root, after: root });
  const modes = await changedModes(before.entries, entries);
  return modes.length === 0 ? changes : { ...changes, mode_changed: modes.slice(0, MAX_LISTED_FILES) };
}

/**
 * Differences among the paths that globs name. Files that do not count as work break no rule: tools leave them behind, and a fork gets them as they
 * were before the arm. @throws TreeTooLarge
 */
export async function differencesOf(
  copy: WorkingCopy,
  globs: readonly string[],
  options?: CompareOptions,
): Promise<readonly TreeDifference[]> {
  const { root, pristine, snapshot } = copy;
  const now = withoutNotes(copy, await workOf(copy, { from: globBases(globs) }));
  const before = { root: pristine.root, entries: await fitting(withoutNotes(copy, pristine.work), globs) };
  return await compareTrees(before, { root, entries: await fitting(now, globs) }, snapshot, options);
}

/** Leaves out directories that existed only for the arm's own files. */
function withoutMade({ notes }: WorkingCopy, work: readonly TreeEntry[]): readonly TreeEntry[] {
  if (!notes) return work;
  const filled = new Set(work.flatMap(({ path, kind }) => (kind === "directory" ? [] : parentsOf(path))));
  return work.filter(({ path }) => !notes.made.has(path) || filled.has(path));
}

/** Milliseconds for a check's copy of an arm's work, plus a time for each entry of the fixture, which no arm made. */
const FORK_MS = 60_000;
const FORK_ENTRY_MS = 10;

interface ForkTarget {
  readonly to: string;
  readonly owner: Owner | null;
  readonly clock: Clock;
}

interface Fork extends ForkTarget {
  /** The arm's files; undefined: it has touched none. */
  readonly copy: Promise<WorkingCopy> | undefined;
  readonly pristine: PristineTree;
  /** Paths that are restored as they were before the arm. */
  readonly differences: readonly TreeDifference[];
  readonly overlay: FileSource;
}

/** Copies the fixture to an arm's directory. */
export async function copyPristine(
  { root: from, entries }: PristineTree,
  { to, owner }: Pick<ForkTarget, "to" | "owner">,
): Promise<Snapshot> {
  return new Snapshot(await copyTree({ from, to, owner, made_by: "arm", entries }));
}

interface Restoration {
  readonly from: string;
  /** Holds nothing of the differences. */
  readonly to: string;
  readonly differences: readonly TreeDifference[];
  readonly owner: Owner | null;
}

/** Writes the files of a fork. @throws TreeTooLarge; Failure `workspace_failed` */
export async function fillFork({ copy, pristine, differences, overlay, ...target }: Fork): Promise<void> {
  const { to, owner } = target;
  const from = pristine.root;
  try {
    const replaced = new Set([...differences.map(({ path }) => path), ...(await overlaidPaths(overlay))]);
    const touched = await copy;
    if (touched) {
      await copyWork(touched, { ...target, replaced });
      await restore({ from, to, differences: notedDifferences(touched), owner });
    } else await copyPristine(pristine, { to, owner });
    await restore({ from, to, differences, owner });
    await layOver(to, overlay, owner);
  } catch (error) {
    if (error instanceof TreeTooLarge) throw error;
    throw workspaceFailed("cannot make a copy of the final workspace", error);
  }
}

/** Puts paths back to what they are in `from`: changed and deleted ones return. */
async function restore({ from, to, differences, owner }: Restoration): Promise<void> {
  const pace = new Pace();
  for (const { path, before } of differences) {
    await pace.bytes(before?.size ?? 0);
    if (before?.kind === "link") {
      placeLink(to, path, readlinkSync(join(from, path), { encoding: "buffer" }), owner);
      continue;
    }
    const bytes = before?.kind === "file" ? readRegular(from, path, before.size) : undefined;
    if (before && bytes) place(to, { path, bytes, mode: before.mode }, owner);
  }
}

interface WorkTarget extends ForkTarget {
  readonly replaced: ReadonlySet<string>;
}

/** Copies the work except what will be replaced; the rest is as it was before the arm. @throws TreeTooLarge */
async function copyWork(copy: WorkingCopy, { to, owner, replaced, clock }: WorkTarget): Promise<void> {
  const { root, pristine } = copy;
  // While watched, the clock excludes the pauses of our own loop.
  using _stalls = clock.watch?.();
  const { work, kept } = forkParts(withoutMade(copy, withoutNotes(copy, await workOf(copy))), pristine);
  const last = clock.ticks() + FORK_MS + FORK_ENTRY_MS * pristine.entries.length;
  const target = { to, owner, made_by: "arm", isLate: () => clock.ticks() > last } as const;
  await copyTree({ ...target, from: root, entries: await notAt(replaced, work) });
  await copyEntries({ ...target, from: pristine.root, entries: kept });
}

/** What a fork is made of; the parts share no path. */
interface ForkParts {
  readonly work: readonly TreeEntry[];
  /** Files that do not count as work, as they were before the arm: a change to them is not seen, so none may take effect. */
  readonly kept: readonly TreeEntry[];
}

/** @param work what counts as work in the arm's tree */
function forkParts(work: readonly TreeEntry[], pristine: PristineTree): ForkParts {
  const standing = new Map(work.map(({ path, kind }) => [path, kind]));
  const counted = new Set(pristine.work);
  const ignored = pristine.entries.filter((entry) => !counted.has(entry));
  const parents = new Set(ignored.flatMap(({ path }) => parentsOf(path)));
  // The arm may have replaced a parent by a file or a link. That change is reported, and nothing is written through it.
  const isBlocked = ({ path }: TreeEntry) =>
    parentsOf(path).some((parent) => (standing.get(parent) ?? "directory") !== "directory");
  const kept = [...ignored, ...pristine.entries.filter(({ path }) => parents.has(path))];
  const byPath = new Map(kept.map((entry) => [entry.path, entry]));
  return { work, kept: [...byPath.values()].filter((entry) => !standing.has(entry.path) && !isBlocked(entry)) };
}

/**
 * The entries that are neither at these paths nor below them, because replaced entries need not be copied first.
 * @param entries a directory before what it holds
 */
async function notAt(replaced: ReadonlySet<string>, entries: readonly TreeEntry[]): Promise<readonly TreeEntry[]> {
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
