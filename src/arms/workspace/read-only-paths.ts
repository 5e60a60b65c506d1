import { Failure } from "../../domain/failure.ts";
import { globMatcher } from "../../domain/path-glob.ts";
import { Pace } from "../../runtime/pace.ts";
import { isPlainPath } from "../sandbox/plain-path.ts";
import { fitting } from "./pristine-tree.ts";
import { parentsOf } from "./tree/parents-of.ts";
import type { TreeEntry } from "./tree/walk.ts";

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
