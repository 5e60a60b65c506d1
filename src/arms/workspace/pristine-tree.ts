import { globMatcher } from "../../domain/path-glob.ts";
import type { GlobEffort } from "../../domain/wildcards.ts";
import { Pace } from "../../runtime/pace.ts";
import { type IsIgnored, ignoredBy, isNeverWork } from "./ignore/ignored.ts";
import { decodedText, readRegular } from "./tree/contents.ts";
import { sortedByPath } from "./tree/sorted-by-path.ts";
import { type TreeEntry, walk } from "./tree/walk.ts";
import type { FileEntry } from "./workspace.ts";

/** The fixture on disk, as workspaces see it. */
export interface PristineTree {
  readonly root: string;
  readonly entries: readonly TreeEntry[];
  /** The entries that are not ignored. */
  readonly work: readonly TreeEntry[];
  readonly isIgnored: IsIgnored;
}

const MAX_GITIGNORE_BYTES = 1024 * 1024;

export async function readTree(root: string): Promise<PristineTree> {
  const entries = await walk(root);
  const gitignores = new Map<string, string>();
  for (const { path, kind } of entries) {
    if (kind !== "file" || !/(^|\/)\.gitignore$/.test(path) || isNeverWork(path)) continue;
    const bytes = readRegular(root, path, MAX_GITIGNORE_BYTES);
    const text = bytes && decodedText(bytes);
    if (text !== undefined) gitignores.set(path.slice(0, -".gitignore".length).replace(/\/$/, ""), text);
  }
  const isIgnored = ignoredBy(gitignores);
  return { root, entries, work: await workAmong(entries, isIgnored), isIgnored };
}

async function workAmong(entries: readonly TreeEntry[], isIgnored: IsIgnored): Promise<readonly TreeEntry[]> {
  const pace = new Pace();
  const work: TreeEntry[] = [];
  for (const entry of entries) {
    await pace.units(isIgnored.units);
    if (!isIgnored(entry.path, entry.kind === "directory")) work.push(entry);
  }
  return work;
}

/** The regular files among some entries, sorted by path. */
export const filesOf = (entries: readonly TreeEntry[]): Promise<readonly FileEntry[]> =>
  sortedByPath(entries.filter((entry) => entry.kind === "file").map(({ path, size }) => ({ path, size })));

/** Comparisons of a matcher in the time of one unit of `Pace`. */
const UNIT_STEPS = 500;

/** The entries that fit one of some globs. Others have their turn, however many or deep the entries are. */
export async function fitting(entries: readonly TreeEntry[], globs: readonly string[]): Promise<readonly TreeEntry[]> {
  const effort: GlobEffort = { steps: 0 };
  const fits = globMatcher(globs, effort);
  const pace = new Pace();
  const found: TreeEntry[] = [];
  for (const entry of entries) {
    const before = effort.steps;
    if (fits(entry.path)) found.push(entry);
    await pace.units((effort.steps - before) / UNIT_STEPS);
  }
  return found;
}
