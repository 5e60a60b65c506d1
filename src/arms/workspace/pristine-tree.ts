import { Failure } from "../../domain/failure.ts";
import { globMatcher } from "../../domain/path-glob.ts";
import type { GlobEffort } from "../../domain/wildcards.ts";
import { Pace } from "../../runtime/pace.ts";
import { isPlainPath } from "../sandbox/plain-path.ts";
import { type IsIgnored, ignoredBy, isNeverWork } from "./ignore/ignored.ts";
import { decodedText, readRegular } from "./tree/contents.ts";
import { parentsOf, sortedByPath, type TreeEntry, walk } from "./tree/walk.ts";
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

/** Each is a mount, and the time that mounts take grows with their square: these take half a second. */
const MAX_PATHS = 500;

/**
 * What has to be bound so that nothing of some entries that fits `globs` can be changed: whole directories where a glob takes
 * in all that can ever be in them, files elsewhere. Links are left out. Sorted.
 * @throws Failure `invalid_request` when there are too many
 */
export async function readOnlyPaths(
  entries: readonly TreeEntry[],
  globs: readonly string[],
): Promise<readonly string[]> {
  if (globs.length === 0) return [];
  const whole = await wholeDirectories(entries, globs);
  const files = (await fitting(entries, globs)).filter(({ kind }) => kind === "file").map(({ path }) => path);
  const all = new Set([...whole, ...files]);
  const outermost = [...all].filter((path) => !parentsOf(path).some((parent) => whole.has(parent))).toSorted();
  if (outermost.length <= MAX_PATHS) return outermost;
  throw new Failure(
    "invalid_request",
    `the protected paths stand for ${outermost.length} separate files, and at most ${MAX_PATHS} can be held read-only; ` +
      "name whole directories, as in tests/**",
  );
}

/** The paths that are still there. A link that an arm put in place of one is found when the trees are compared. */
export const stillPlain = (root: string, paths: readonly string[]): readonly string[] =>
  paths.filter((path) => isPlainPath(root, path));

/** Names that nobody gives a file: globs that fit them, at any depth, fit every name. */
const UNLIKELY = ["\u0001\u0002", "a\u0001/\u0002"];

async function wholeDirectories(entries: readonly TreeEntry[], globs: readonly string[]): Promise<ReadonlySet<string>> {
  const fits = globMatcher(globs);
  const pace = new Pace();
  const whole = new Set<string>();
  for (const { path, kind } of entries) {
    await pace.path(path);
    if (kind === "directory" && UNLIKELY.every((name) => fits(`${path}/${name}`))) whole.add(path);
  }
  return whole;
}
