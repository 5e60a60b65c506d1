import { cut } from "../../../domain/excerpt.ts";
import type { FileSet, Files } from "../../../domain/task.ts";
import type { FieldPath } from "../authored/problems.ts";
import type { FixtureFile } from "../authored/task-file.ts";
import { attempt, type ResolveContext } from "./context.ts";
import { checkInlinePaths, resolveFileSet } from "./file-set.ts";
import { repositoryOf, treeAt } from "./git-source.ts";

/** A directory, a commit's files or inline files. `path` is where they are named. */
export async function resolveFixtureFile(
  context: ResolveContext,
  path: FieldPath,
  fixture: FixtureFile,
): Promise<FileSet> {
  if (typeof fixture === "string")
    return resolveFileSet(context, { dir: fixture, dirPath: path, files: undefined, filesPath: path });
  const { dir, git, path: below, files } = fixture;
  if (dir === undefined && git === undefined && files === undefined)
    context.problems.add(path, "needs `dir`, `git` or `files`; leave it out for none");
  if (git !== undefined && dir !== undefined) context.problems.add([...path, "git"], "`dir` is given too; keep one");
  if (git === undefined && below !== undefined)
    context.problems.add([...path, "path"], "goes with `git`; a directory beside the scenario file is `dir`");
  if (git !== undefined) return resolveGitFixture(context, path, { ref: git, below, files });
  return resolveFileSet(context, { dir, dirPath: [...path, "dir"], files, filesPath: [...path, "files"] });
}

interface AuthoredTree {
  readonly ref: string;
  readonly below: string | undefined;
  readonly files: Files | undefined;
}

/** Resolves the ref to a tree. Only the tree is stored and run. */
async function resolveGitFixture(
  context: ResolveContext,
  path: FieldPath,
  { ref, below, files = {} }: AuthoredTree,
): Promise<FileSet> {
  const at = [...path, "git"];
  const filesPath = [...path, "files"];
  checkInlinePaths(context, filesPath, files);
  const broken: FileSet = { dir: null, files, digest: "" };
  if (!context.problems.sound(at) || !context.problems.sound(filesPath)) return broken;
  const found = await attempt(context, at, JSON.stringify(cut(ref)), async (): Promise<FileSet> => {
    const tree = await treeAt(context, ref, below);
    const digest = await context.git?.digest(repositoryOf(context), tree, files);
    return { dir: null, git: { tree }, files, digest: digest ?? "" };
  });
  return found ?? broken;
}
