import { posix, resolve } from "node:path";
import type { Arm } from "../../../domain/arm.ts";
import { SCENARIO_FILE_BYTES } from "../../../domain/defaults.ts";
import { EVERYTHING } from "../../../domain/equal-work.ts";
import { cut } from "../../../domain/excerpt.ts";
import { globMatcher } from "../../../domain/path-glob.ts";
import type { Policies } from "../../../domain/policies.ts";
import type { FileSet, Task } from "../../../domain/task.ts";
import type { ArmFile, ArmFilesMap } from "../authored/arm-file.ts";
import type { FieldPath } from "../authored/problems.ts";
import { textAtRef } from "../git/git-files.ts";
import { listTree } from "../git/tree.ts";
import { listMaterial } from "../materials.ts";
import { objectAt } from "../repository.ts";
import { attempt, type ResolveContext, readNamed, readOnce, repositoryOf } from "./context.ts";
import { resolveFiles } from "./fixture-file.ts";
/** The files of each arm, laid over its workspace. What an arm only inherits is resolved where it is written. */
export async function resolveArmFiles(
  context: ResolveContext,
  authored: readonly ArmFile[],
  extended: readonly ArmFile[],
): Promise<(FileSet | undefined)[]> {
  const resolved = new Map<unknown, FileSet | null>();
  for (const [index, { files }] of authored.entries())
    if (files) resolved.set(files, await filesOfArm(context, ["arms", index, "files"], files));
  return extended.map(({ files }) => (files ? (resolved.get(files) ?? undefined) : undefined));
}

/** Null after a problem. */
async function filesOfArm(
  context: ResolveContext,
  path: FieldPath,
  authored: string | ArmFilesMap,
): Promise<FileSet | null> {
  if (typeof authored === "string") return await resolveFiles(context, path, authored);
  const { dir, git, path: named, files: inner = {}, ...texts } = authored;
  const isOwn = Object.keys(texts).length > 0;
  const clash = Object.keys(inner).find((name) => Object.hasOwn(texts, name));
  if (clash !== undefined) context.problems.add([...path, clash], "is in `files`, too; keep one", { at: "key" });
  const files = { ...(texts as Record<string, string>), ...inner }; // the schema allows texts alone
  const given = isOwn || Object.keys(inner).length > 0;
  const filesPath = isOwn ? path : [...path, "files"];
  const single = await singleFile(context, path, authored);
  if (single === null) return null;
  const set = {
    ...(dir !== undefined && { dir }),
    ...(git !== undefined && single === undefined && { git, ...(named !== undefined && { path: named }) }),
    ...((given || single) && { files: { ...single, ...files } }),
  };
  if (Object.keys(set).length === 0) {
    context.problems.add(path, "holds no file; name one, as in {CLAUDE.md: ...}, or leave it out");
    return null;
  }
  return await resolveFiles(context, path, set, { filesPath });
}

/** The file that `path` names, by its own name; undefined when it names a directory of a commit, or is not given; null after a problem. */
async function singleFile(
  context: ResolveContext,
  at: FieldPath,
  { dir, git, path }: ArmFilesMap,
): Promise<Readonly<Record<string, string>> | undefined | null> {
  if (path === undefined) return undefined;
  const where = [...at, "path"];
  if (dir !== undefined) {
    context.problems.add(where, "`dir` is given too; keep one");
    return null;
  }
  const name = posix.basename(path);
  if (git === undefined) {
    const text = await attempt(context, where, cut(path), () => readNamed(context, path, SCENARIO_FILE_BYTES));
    return text === null ? null : { [name]: text };
  }
  const text = await attempt(context, [...at, "git"], JSON.stringify(cut(git)), () =>
    readOnce(context, "file at a ref", JSON.stringify([git, path]), async () => {
      const { type } = await objectAt(repositoryOf(context), git, path);
      return type === "tree" ? undefined : await textAtRef(repositoryOf(context), git, path);
    }),
  );
  return typeof text === "string" ? { [name]: text } : text;
}

interface Around {
  readonly task: Task | null;
  readonly arms: readonly Arm[] | null;
  readonly policies: Policies | null;
}

/** Adds a problem for files that are too many, no plain files, or lie where the work, a rule or git has its own. */
export async function checkArmFiles(
  context: ResolveContext,
  authored: readonly ArmFile[],
  { task, arms, policies }: Around,
): Promise<void> {
  const isWork = workMatcher(task);
  const isProtected = globMatcher(policies?.paths.protected ?? []);
  for (const [index, { files }] of (arms ?? []).entries()) {
    const path = ["arms", index, "files"];
    if (!files || !authored[index]?.files || !context.problems.sound(path)) continue;
    const found = await attempt(context, path, "what it names", () => listed(context, files));
    const fault = found && faultOf(found, { isWork, isProtected });
    if (fault) context.problems.add(path, fault);
  }
}

interface Listed {
  readonly path: string;
  readonly isLink: boolean;
  readonly bytes: number;
}

async function listed(context: ResolveContext, { dir, git, files }: FileSet): Promise<readonly Listed[]> {
  const below =
    dir === null
      ? []
      : (await readOnce(context, "list", dir, () => listMaterial(resolve(context.root, dir)))).map(
          ({ path, stats }) => ({
            ...{ path, isLink: stats.isSymbolicLink(), bytes: stats.size },
          }),
        );
  const tree =
    git === undefined
      ? []
      : (await readOnce(context, "tree", git.tree, () => listTree(repositoryOf(context).git_dir, git.tree))).map(
          ({ path, kind, bytes }) => ({
            ...{ path, isLink: kind === "link", bytes },
          }),
        );
  const inline = Object.entries(files).map(([path, text]) => ({
    ...{ path, isLink: false, bytes: Buffer.byteLength(text) },
  }));
  const hidden = new Set(Object.keys(files));
  return [...[...below, ...tree].filter(({ path }) => !hidden.has(path)), ...inline];
}

/** The work may be every file: then these are none of it, wherever they lie. */
function workMatcher(task: Task | null): (path: string) => boolean {
  const globs = task?.deliverable ?? [];
  return globs.some((glob) => (EVERYTHING as readonly string[]).includes(glob)) ? () => false : globMatcher(globs);
}

type Matches = (path: string) => boolean;

/** Files of an arm's own that lie in its workspace, and what they may hold. */
const NOTE_FILES = 2_000;

const NOTE_BYTES = 16_000_000;

function faultOf(
  found: readonly Listed[],
  { isWork, isProtected }: { readonly isWork: Matches; readonly isProtected: Matches },
): string | null {
  if (found.length === 0) return "holds no file";
  if (found.length > NOTE_FILES) return `holds ${found.length} files; an arm may have ${NOTE_FILES} of its own`;
  const bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes > NOTE_BYTES)
    return `holds ${Math.ceil(bytes / 1e6)} MB; an arm may have ${NOTE_BYTES / 1e6} MB of its own`;
  for (const { path, isLink } of found) {
    const name = JSON.stringify(cut(path, 200));
    if (isLink) return `holds ${name}, a link; an arm's own files are plain files`;
    if (path.split("/").some((step) => step.toLowerCase() === ".git"))
      return `holds ${name}; git's own directory is no place for an arm's files`;
    if (isWork(path))
      return `holds ${name}, which counts as the work (task.deliverable); both arms must begin with the same`;
    if (isProtected(path)) return `holds ${name}, which is protected (policies.paths.protected)`;
  }
  return null;
}
