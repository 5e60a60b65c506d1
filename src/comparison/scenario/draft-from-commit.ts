import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CHANGED_FILE_BYTES, MATERIAL_BYTES } from "../../domain/defaults.ts";
import { type FixingCommit, patchBetween, readFixingCommit } from "./draft/fixing-commit.ts";
import { VERSIONED_LOCKS } from "./draft/install-steps.ts";
import { isTestFile, type Repertoire, steeringFiles, testCommand } from "./draft/test-files.ts";
import type { Draft, DraftCheck } from "./draft-scenario.ts";
import { PLACEHOLDER } from "./draft-scenario.ts";
import { blobsOf } from "./git/blobs.ts";
import { textOfBlob, writeBlobs } from "./git/git-files.ts";
import { gitOutput } from "./git/run-git.ts";
import { fileIn, type TreeFile } from "./git/tree.ts";
import { objectAt, type Repository, repositoryAround } from "./repository.ts";
import { checkPatch } from "./resolve/reference-patch.ts";
import { Unusable } from "./unusable.ts";

/** A scenario made from a commit, read and not yet written. */
export interface DraftMaterial {
  readonly draft: Draft;
  readonly repository: Repository;
  readonly patch: string;
  /** The commit's tests, which become the hidden files. */
  readonly hidden: readonly TreeFile[];
}

/**
 * The commit's parent as fixture, its change without the tests as reference, its tests as hidden files.
 * @param directory of the scenario, inside the repository
 * @throws Unusable
 */
export async function draftFromCommit(directory: string, ref: string, name: string): Promise<DraftMaterial> {
  const repository = repositoryAround(directory);
  const commit = await readFixingCommit(repository, ref);
  const isTest = ({ path }: { path: string }) => isTestFile(path);
  const fixed = commit.files.filter((file) => !isTest(file)).map(({ path }) => path);
  if (fixed.length === 0) throw new Unusable("changes tests only; a fix changes what they test");
  const patch = await patchBetween(repository, commit, fixed);
  checkPatch(patch);
  const hidden = await hiddenFiles(repository, commit);
  const repertoire = await repertoireOf(repository, commit);
  const { checks, setup } = await commandsFor(repository, hidden, repertoire);
  return {
    draft: {
      name,
      commit: commit.id,
      parent: commit.parent,
      message: commit.message,
      setup,
      checks,
      protected: steeringFiles(repertoire, fixed),
      named: await namedFiles(repository, commit, hidden),
    },
    repository,
    patch,
    hidden,
  };
}

/** Writes the patch and the hidden files as the scenario names them. @throws Unusable */
export async function writeMaterial(
  { draft, repository, patch, hidden }: DraftMaterial,
  directory: string,
): Promise<void> {
  const own = join(directory, draft.name);
  await mkdir(own, { recursive: true });
  await writeFile(join(own, "reference.patch"), patch, { flag: "wx" });
  if (hidden.length > 0) await writeBlobs(repository, hidden, join(own, "probe"));
}

async function hiddenFiles({ git_dir }: Repository, { id, files }: FixingCommit): Promise<TreeFile[]> {
  const found: TreeFile[] = [];
  for (const { path, status } of files) {
    if (status === "removed" || !isTestFile(path)) continue;
    const file = await fileIn(git_dir, id, path);
    if (file !== null) found.push(file);
  }
  const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MATERIAL_BYTES) throw new Unusable(`has tests of more than ${MATERIAL_BYTES / 1e6} MB`);
  return found;
}

/** Added files that the tests name, as paths or as modules. */
async function namedFiles(
  repository: Repository,
  { files }: FixingCommit,
  hidden: readonly TreeFile[],
): Promise<string[]> {
  const added = files.filter(({ path, status }) => status === "added" && !isTestFile(path)).map(({ path }) => path);
  const texts: string[] = [];
  for (const file of hidden) texts.push((await textIfAny(repository, file)) ?? "");
  return added.filter((path) => {
    const name = new RegExp(`(?<![\\w-])${RegExp.escape(moduleName(path))}(?![\\w-])`);
    return texts.some((text) => name.test(text));
  });
}

/** How an import names a file: without its ending; an index file by its directory. */
function moduleName(path: string): string {
  const [name = path, directory = name] = path.split("/").reverse();
  const stem = name.replace(/(?<=.)\.[^.]*$/, "");
  return /^(__init__|index|mod|main)$/.test(stem) ? directory : stem;
}

/** Bytes of the names at the top of a repository. */
const TOP_BYTES = 1024 * 1024;

async function repertoireOf(repository: Repository, { parent }: FixingCommit): Promise<Repertoire> {
  const { id } = await objectAt(repository, parent, undefined);
  const { output } = await gitOutput(repository.git_dir, ["ls-tree", "-z", "--name-only", "--full-tree", id], {
    maxBytes: TOP_BYTES,
  });
  const manifest = await fileIn(repository.git_dir, id, "package.json");
  return {
    top: new Set(output.toString().split("\0")),
    manifest: manifest === null ? null : await textOfBlob(repository, manifest, CHANGED_FILE_BYTES),
    locks: await headsOf(repository, id, VERSIONED_LOCKS),
  };
}

/** How files of a tree begin, by their path; without those that are not there. */
async function headsOf({ git_dir }: Repository, tree: string, paths: readonly string[]) {
  const heads: Record<string, string> = {};
  for (const path of paths) {
    const file = await fileIn(git_dir, tree, path);
    if (file?.kind === "file") heads[path] = await headOf(git_dir, file);
  }
  return heads;
}

async function headOf(git_dir: string, file: TreeFile): Promise<string> {
  for await (const { pieces } of blobsOf(git_dir, [file]))
    for await (const piece of pieces) return new TextDecoder().decode(piece.subarray(0, HEAD_BYTES));
  return "";
}

/** A lock file tells its form in the first lines. */
const HEAD_BYTES = 1_024;

interface Commands {
  readonly checks: readonly DraftCheck[];
  readonly setup: readonly string[];
}

/** One check for each command. A command for a whole directory covers all its files. */
async function commandsFor(
  repository: Repository,
  hidden: readonly TreeFile[],
  repertoire: Repertoire,
): Promise<Commands> {
  const checks = new Map<string, DraftCheck>();
  const setup = new Set<string>();
  for (const file of hidden) {
    const text = await textIfAny(repository, file);
    const command = text === null ? null : testCommand(file.path, text, repertoire);
    if (command === null) continue;
    if (!checks.has(command.run)) checks.set(command.run, { run: command.run, file: file.path });
    for (const step of command.setup) setup.add(step);
  }
  if (checks.size === 0 && hidden.length > 0) {
    const [first] = hidden;
    checks.set(PLACEHOLDER, { run: PLACEHOLDER, file: first?.path ?? "check" });
  }
  return { checks: [...checks.values()], setup: [...setup] };
}

/** Null for data that the tests read: files that are no text or too long for a test. */
async function textIfAny(repository: Repository, file: TreeFile): Promise<string | null> {
  try {
    return await textOfBlob(repository, file, CHANGED_FILE_BYTES);
  } catch (error) {
    if (error instanceof Unusable) return null;
    throw error;
  }
}
