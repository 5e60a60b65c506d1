import { cut } from "../../../domain/excerpt.ts";
import { coverEachOther, mountPointFault, WORKSPACE_AT } from "../../../domain/mount-point.ts";
import type { FileSet, Files, Fixture, PlaceBeside } from "../../../domain/task.ts";
import { valueFault, variableFault } from "../authored/fields.ts";
import type { FieldPath } from "../authored/problems.ts";
import type { FilesFile, FixtureFile } from "../authored/task-file.ts";
import { attempt, type ResolveContext, repositoryOf, treeAt } from "./context.ts";
import { checkInlinePaths, resolveFileSet } from "./file-set.ts";
import { checkPathGlobs } from "./globs.ts";
/** What a workspace begins with, where it is mounted, and what stands beside it. */
export async function resolveFixture(context: ResolveContext, fixture: FixtureFile, within: Within): Promise<Fixture> {
  const path = ["task", "fixture"];
  if (typeof fixture === "string") return await resolveFiles(context, path, fixture);
  const { at, also, env, repository, exclude = [], ...files } = fixture;
  checkExclude(context, [...path, "exclude"], fixture);
  checkVariables(context, [...path, "env"], env);
  if (at !== undefined) checkMountPoint(context, [...path, "at"], { mounted: at, within });
  const around = { at: at ?? (within === "image" ? null : WORKSPACE_AT), within };
  const beside = also && (await resolveBeside(context, [...path, "also"], { ...around, also }));
  const set = await resolveFiles(
    context,
    path,
    at === undefined && also === undefined && env === undefined && !repository ? files : { files: {}, ...files },
    { exclude, repository },
  );
  return {
    ...set,
    ...(exclude.length > 0 && { exclude }),
    ...(at !== undefined && { at }),
    ...(beside && { also: beside }),
    ...(env && Object.keys(env).length > 0 && { env }),
    ...(repository && { repository }),
  };
}

function checkExclude(
  { problems }: ResolveContext,
  path: FieldPath,
  { exclude = [], dir, git }: Exclude<FixtureFile, string>,
): void {
  checkPathGlobs(problems, path, exclude);
  if (exclude.length > 0 && dir === undefined && git === undefined)
    problems.add(path, "leaves something out of `dir` or `git`, and there is neither");
}

function checkVariables({ problems }: ResolveContext, path: FieldPath, env: Fixture["env"] = {}): void {
  for (const [name, value] of Object.entries(env)) {
    const fault = variableFault(name);
    if (fault !== null) problems.add([...path, name], fault, { at: "key" });
    const wrong = valueFault(value);
    if (wrong !== null) problems.add([...path, name], wrong);
  }
}

type Within = NonNullable<Parameters<typeof mountPointFault>[1]>;

function checkMountPoint(
  { problems }: ResolveContext,
  path: FieldPath,
  { mounted, within, at }: { readonly mounted: string; readonly within: Within; readonly at?: "key" },
): void {
  const fault = mountPointFault(mounted, within);
  if (fault !== null) problems.add(path, `${JSON.stringify(cut(mounted))} ${fault}`, at && { at });
}

async function resolveBeside(
  context: ResolveContext,
  path: FieldPath,
  {
    at,
    also,
    within,
  }: {
    /** Null: the image says it. */
    readonly at: string | null;
    readonly also: NonNullable<Extract<FixtureFile, object>["also"]>;
    readonly within: Within;
  },
): Promise<Fixture["also"]> {
  const { problems } = context;
  const resolved: Record<string, PlaceBeside> = {};
  const earlier = at === null ? [] : [at];
  for (const [place, what] of Object.entries(also)) {
    const here = [...path, place];
    checkMountPoint(context, here, { mounted: place, within, at: "key" });
    const other = earlier.find((mounted) => coverEachOther(mounted, place));
    if (other !== undefined)
      problems.add(here, `${JSON.stringify(cut(place))} and ${other} cover each other; mount them apart`, {
        at: "key",
      });
    earlier.push(place);
    resolved[place] =
      typeof what === "string"
        ? await resolveFileSet(context, { dir: what, dirPath: here, files: undefined, filesPath: here })
        : what;
  }
  return resolved;
}

/** A directory, a commit's files or inline files. `path` is where they are named, `filesPath` where the inline ones are. */
export async function resolveFiles(
  context: ResolveContext,
  path: FieldPath,
  authored: FilesFile,
  {
    filesPath = [...path, "files"],
    exclude = [],
    repository,
  }: {
    readonly filesPath?: FieldPath;
    readonly exclude?: readonly string[];
    readonly repository?: boolean | undefined;
  } = {},
): Promise<FileSet> {
  if (typeof authored === "string")
    return resolveFileSet(context, { dir: authored, dirPath: path, files: undefined, filesPath: path });
  const { dir, git, path: below, files } = authored;
  if (dir === undefined && git === undefined && files === undefined)
    context.problems.add(path, "needs `dir`, `git` or `files`; leave it out for none");
  if (git !== undefined && dir !== undefined) context.problems.add([...path, "git"], "`dir` is given too; keep one");
  if (git === undefined && below !== undefined)
    context.problems.add([...path, "path"], "belongs to `git`; use `dir` for a directory beside the scenario file");
  if (git !== undefined) return resolveGitFixture(context, path, { ref: git, below, files, filesPath, exclude });
  return resolveFileSet(context, { dir, dirPath: [...path, "dir"], files, filesPath, exclude, repository });
}

interface AuthoredTree {
  readonly ref: string;
  readonly below: string | undefined;
  readonly files: Files | undefined;
  readonly filesPath: FieldPath;
  readonly exclude: readonly string[];
}

/** Resolves the ref to a tree. Only the tree is stored and run. */
async function resolveGitFixture(
  context: ResolveContext,
  path: FieldPath,
  { ref, below, files = {}, filesPath, exclude }: AuthoredTree,
): Promise<FileSet> {
  const at = [...path, "git"];
  checkInlinePaths(context, filesPath, files);
  const broken: FileSet = { dir: null, files, digest: "" };
  if (!context.problems.sound(at) || !context.problems.sound(filesPath)) return broken;
  const found = await attempt(context, at, JSON.stringify(cut(ref)), async (): Promise<FileSet> => {
    const tree = await treeAt(context, ref, below);
    const digest = await context.git?.digest(repositoryOf(context), tree, files, exclude);
    return { dir: null, git: { tree }, files, digest: digest ?? "" };
  });
  return found ?? broken;
}
