import { stat } from "node:fs/promises";
import { join } from "node:path";
import { formatPatch } from "diff";
import { CHANGED_FILE_BYTES, PATCH_BYTES } from "../../../domain/defaults.ts";
import { wordsOf } from "../../../domain/failure.ts";
import { type FilePatch, readingPatch } from "../../../domain/patch.ts";
import { treeMatcher } from "../../../domain/path-glob.ts";
import { sha256 } from "../../../domain/sha256.ts";
import type { Fixture, ReferenceFix } from "../../../domain/task.ts";
import { compareLines, DiffEffort } from "../../../domain/text-hunks.ts";
import { steadily } from "../../../runtime/pace.ts";
import type { FieldPath } from "../authored/problems.ts";
import type { ReferenceFixFile } from "../authored/task-file.ts";
import { workspacePathFault } from "../confined-path.ts";
import { textInTree } from "../git/git-files.ts";
import { listMaterial } from "../materials.ts";
import { readText } from "../read-text.ts";
import { Unusable } from "../unusable.ts";
import { attempt, type ResolveContext, readNamed, readOnce, repositoryOf } from "./context.ts";
import { checkInlinePaths, resolveDirectory } from "./file-set.ts";

const PATH: FieldPath = ["task", "reference_fix"];

/** The reference fix as one diff against the fixture; null when there is none, or after a problem. */
export async function resolveReferenceFix(
  context: ResolveContext,
  authored: ReferenceFixFile | undefined,
  fixture: Fixture | null,
): Promise<ReferenceFix | null> {
  if (authored === undefined) return null;
  const { patch, dir, files } = authored;
  const isWhole = dir !== undefined || files !== undefined;
  if ((patch !== undefined) === isWhole) {
    const fault = isWhole ? "has both a patch and fixed files; keep one" : "needs `patch`, `dir` or `files`";
    context.problems.add(PATH, fault);
    return null;
  }
  const text = patch === undefined ? await fromFiles(context, authored, fixture) : await fromPatch(context, patch);
  return text === null ? null : { patch: text, digest: sha256(text) };
}

function fromPatch(context: ResolveContext, patch: string): Promise<string | null> {
  return attempt(context, [...PATH, "patch"], patch, async () => {
    const text = await readNamed(context, patch, PATCH_BYTES);
    await checkPatch(text);
    return text;
  });
}

async function fromFiles(
  context: ResolveContext,
  { dir, files = {} }: ReferenceFixFile,
  fixture: Fixture | null,
): Promise<string | null> {
  checkInlinePaths(context, [...PATH, "files"], files);
  const real = dir === undefined ? null : await resolveDirectory(context, [...PATH, "dir"], dir);
  if (!context.problems.sound(PATH) || !context.problems.sound(["task", "fixture"])) return null;
  const diff = async () => {
    const fixed = new Map<string, Pick<FixedFile, "after" | "mode">>();
    for (const { path, absolute, stats } of real === null ? [] : await listMaterial(real)) {
      const after = await textOf(absolute, path);
      fixed.set(path, { after, mode: stats.mode & 0o111 ? "100755" : "100644" });
    }
    for (const [path, after] of Object.entries(files)) fixed.set(path, { after, mode: "100644" });
    const sorted = [...fixed].sort(([a], [b]) => (a < b ? -1 : 1));
    return await patchOf(await Promise.all(sorted.map(([path, file]) => against(context, fixture, path, file))));
  };
  return attempt(context, PATH, "the fix", () => readOnce(context, "fix of", fixture?.digest ?? "", diff));
}

/** The fix as one diff that `git apply` takes. @throws Unusable when nothing differs or the diff is too large. */
async function patchOf(files: readonly FixedFile[]): Promise<string> {
  const changed = files.filter(({ before, after }) => before !== after);
  const effort = new DiffEffort();
  const patches: string[] = [];
  for (const file of changed) patches.push(await filePatch(file, effort));
  const patch = patches.join("");
  if (changed.length === 0) throw new Unusable("changes nothing: every file is as in the fixture");
  if (patch.length > PATCH_BYTES) throw new Unusable(`makes a diff of more than ${PATCH_BYTES / 1e6} MB`);
  return patch;
}

async function filePatch({ path, before, after, mode }: FixedFile, effort: DiffEffort): Promise<string> {
  const { hunks } = await compareLines(before ?? "", after, { effort, room: PATCH_BYTES });
  if (hunks === null) throw new Unusable(`makes a diff of more than ${PATCH_BYTES / 1e6} MB, of ${path} alone`);
  const names = { oldFileName: before === null ? "/dev/null" : `a/${path}`, newFileName: `b/${path}` };
  const headers = { oldHeader: undefined, newHeader: undefined };
  const made = before === null ? { isCreate: true, newMode: mode } : {};
  return formatPatch({ ...names, ...headers, hunks, isGit: true, ...made });
}

async function against(
  context: ResolveContext,
  fixture: Fixture | null,
  path: string,
  fixed: Pick<FixedFile, "after" | "mode">,
): Promise<FixedFile> {
  const inline = fixture !== null && Object.hasOwn(fixture.files, path) ? fixture.files[path] : undefined;
  if (inline !== undefined) return { path, before: inline, ...fixed };
  if (treeMatcher(fixture?.exclude ?? [])(path)) return { path, before: null, ...fixed };
  const tree = fixture?.git?.tree;
  if (tree !== undefined)
    return { path, before: await textInTree(repositoryOf(context), tree, path, CHANGED_FILE_BYTES), ...fixed };
  const dir = fixture?.dir ?? null;
  if (dir === null) return { path, before: null, ...fixed };
  const absolute = join(context.root, dir, path);
  return { path, before: (await isFile(absolute)) ? await textOf(absolute, path) : null, ...fixed };
}

const isFile = async (path: string) =>
  await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );

async function textOf(absolute: string, path: string): Promise<string> {
  try {
    const text = await readText(absolute, CHANGED_FILE_BYTES);
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new Unusable(`has ${path}, which ${error.message}`, { cause: error });
  }
  throw new Unusable(`has ${path}, which is not text`);
}

/** The files that a patch changes. @throws Unusable when it is not a unified diff, touches no file, or touches one outside the workspace. */
export async function checkPatch(patch: string): Promise<readonly FilePatch[]> {
  const files = (await filesOf(patch)).filter(touchesFile);
  if (files.length === 0) throw new Unusable("is not a unified diff, or touches no file");
  for (const path of files.flatMap(({ from, to }) => [from ?? [], to ?? []].flat())) {
    const fault = workspacePathFault(path);
    if (fault !== null) throw new Unusable(`names ${path}, which ${fault}`);
  }
  return files;
}

async function filesOf(patch: string): Promise<readonly FilePatch[]> {
  try {
    return await steadily(readingPatch(patch));
  } catch (error) {
    // The parser throws plain errors, all of them about the text.
    throw new Unusable(`is not a unified diff (${wordsOf(error)})`, {
      cause: error,
    });
  }
}

const touchesFile = ({ from, to, moves, mode, hunks }: FilePatch) =>
  hunks.length > 0 || from === null || to === null || moves || mode !== undefined;

interface FixedFile {
  readonly path: string;
  /** Text in the fixture; null when it is not there. */
  readonly before: string | null;
  readonly after: string;
  readonly mode: "100644" | "100755";
}
