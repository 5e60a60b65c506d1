import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { CHANGED_FILE_BYTES, MATERIAL_BYTES, PATCH_BYTES } from "../../../domain/defaults.ts";
import { literalGlob } from "../../../domain/path-glob.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { workspacePathFault } from "../confined-path.ts";
import type { Draft } from "../draft-scenario.ts";
import { textOfBlob } from "../git/git-files.ts";
import { gitOutput } from "../git/run-git.ts";
import { fileIn, type TreeFile } from "../git/tree.ts";
import { objectAt, type Repository, repositoryAround } from "../repository.ts";
import { hasScenario } from "../resolve/exposed.ts";
import { checkPatch } from "../resolve/reference-fix.ts";
import { Unusable } from "../unusable.ts";
import type { Note } from "./noted-document.ts";
import { commandsOf, isTestFile, type Repertoire, repertoireAt, steeringFiles, type TestText } from "./test-files.ts";

const NOTHING_NAMED =
  "is no file or directory here, and no commit: there is no git repository around the scenario file";

/**
 * The commit's parent as fixture, its change without the tests as reference, its tests as hidden files.
 * @param directory of the scenario, inside the repository
 * @throws Unusable
 */
export async function draftFromCommit(directory: string, ref: string, name: string): Promise<Draft> {
  const repository = repositoryAround(directory, NOTHING_NAMED);
  const commit = await readFixingCommit(repository, ref);
  const isTest = ({ path }: { path: string }) => isTestFile(path);
  const fixed = commit.files.filter((file) => !isTest(file)).map(({ path }) => path);
  if (fixed.length === 0) throw new Unusable("changes tests only; a fix changes what they test");
  const patch = await patchBetween(repository, commit, fixed);
  await checkPatch(patch);
  const hidden = await hiddenFiles(repository, commit);
  const { id: tree } = await objectAt(repository, commit.parent, undefined);
  const repertoire = await repertoireAt(repository, tree);
  const { checks, setup } = await commandsFor(repository, hidden, repertoire);
  return {
    name,
    title: plainText(commit.message.trim().split("\n", 1)[0] ?? "").trim() || name,
    origin: commit.id.slice(0, 12),
    form: "from-commit",
    prompt: promptOf(commit.message, name),
    commit: commit.parent,
    exclude: await otherScenarios(repository, tree, directory),
    setup,
    checks,
    reference: { kind: "patch" },
    protected: steeringFiles(repertoire, fixed),
    named: await namedFiles(repository, commit, hidden),
    questions: [CAUSE],
    notes: [...NOTES, ...(checks.length === 0 ? [NO_PROBE] : [])],
    material: [
      { path: "reference.patch", text: patch },
      ...(hidden.length > 0 ? [{ path: "probe", blobs: hidden, repository }] : []),
    ],
  };
}

/** The directory of the scenario, where the tree has others in it. */
async function otherScenarios(repository: Repository, tree: string, directory: string): Promise<string[]> {
  const below = relative(repository.root, realpathSync(directory));
  return below !== "" && (await hasScenario(repository, tree, below)) ? [literalGlob(below)] : [];
}

const CAUSE = {
  id: "cause",
  question: "Is the cause of the problem mended, and nothing else changed?",
  anchors: {
    0: "not mended",
    2: "the symptom is gone, the cause is left",
    4: "mended at its cause, and only there",
  },
};

const NOTES: readonly Note[] = [
  {
    path: ["task", "prompt"],
    text: "From the commit's message. Rewrite it as a report of the problem: it must not tell the solution.",
  },
  {
    path: ["task", "fixture"],
    text: "The commit before the fix. Arms see all of it; add `path: <dir>` for a part.",
  },
];

const NO_PROBE: Note = {
  path: ["task", "reference_fix"],
  text: "The commit has no tests, so nothing says what works: add a `probe` with a check that fails before the fix.",
};

/** Lines that tools add to a message, and that tell an arm nothing. */
const TRAILER =
  /^(signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|cherry-picked from|fixes|closes|refs?|see)\b.*[:#]/i;

/** A commit's message as what an arm is asked. */
export function promptOf(message: string, name: string): string {
  const lines = plainText(message).replaceAll("\t", "  ").split("\n");
  const text = lines
    .filter((line) => !TRAILER.test(line.trim()))
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
  return `${text || name}\n`;
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

/** The commands of the hidden files that are text. */
async function commandsFor(repository: Repository, hidden: readonly TreeFile[], repertoire: Repertoire) {
  const files: TestText[] = [];
  for (const file of hidden) {
    const text = await textIfAny(repository, file);
    if (text !== null) files.push({ path: file.path, text });
  }
  return commandsOf(files.length > 0 ? files : hidden.map(({ path }) => ({ path, text: "" })), repertoire);
}

/** Null for data that the tests read: files that are no text or too long for a test. */
const textIfAny = (repository: Repository, file: TreeFile) =>
  textOfBlob(repository, file, CHANGED_FILE_BYTES).catch(Unusable.or(null));

/** A file that a commit changed. A renamed file counts as removed and added. */
interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "changed" | "removed";
  /** Object id of the new contents; meaningless for a removed file. */
  readonly id: string;
  readonly executable: boolean;
}

/** A commit with one parent, by their full hashes. */
interface FixingCommit {
  readonly id: string;
  readonly parent: string;
  readonly message: string;
  readonly files: readonly ChangedFile[];
}

/** Files of a commit. A commit that changes more fixes more than one thing. */
const MAX_CHANGED = 200;

/** A commit, or the list of its files, has so many bytes at most. */
const MEGABYTE = 1024 * 1024;

/** @throws Unusable for a commit that is unknown, a merge, the first one, or changes what no patch of text can carry. */
async function readFixingCommit(repository: Repository, ref: string): Promise<FixingCommit> {
  const { id } = await objectAt(repository, ref, undefined, "commit");
  const { output } = await gitOutput(repository.git_dir, ["cat-file", "commit", id], { maxBytes: MEGABYTE });
  const [headers = "", ...message] = output.toString().split("\n\n");
  const parents = [...headers.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? []);
  const [parent, second] = parents;
  if (parent === undefined) throw new Unusable("is the first commit; a fix has a parent to start from");
  if (second !== undefined) throw new Unusable("is a merge; name the commit that has the fix");
  await checkParent(repository, parent);
  return { id, parent, message: message.join("\n\n"), files: await changedFiles(repository, parent, id) };
}

/** A shallow clone has a commit without its parent. @throws Unusable */
async function checkParent(repository: Repository, parent: string): Promise<void> {
  try {
    await objectAt(repository, parent, undefined);
  } catch (error) {
    if (error instanceof Unusable)
      throw new Unusable(`has the parent ${parent}, which ${error.message}`, { cause: error });
    throw error;
  }
}

/** What these files changed, as one diff that a scenario takes as its reference. @throws Unusable */
async function patchBetween(
  { git_dir }: Repository,
  { parent, id }: Pick<FixingCommit, "parent" | "id">,
  paths: readonly string[],
): Promise<string> {
  const form = ["-p", "-U3", "--text", "--full-index", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"];
  const plain = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "-O/dev/null"];
  const { output } = await gitOutput(git_dir, ["diff-tree", "-r", ...form, ...plain, parent, id, "--", ...paths], {
    maxBytes: PATCH_BYTES,
  });
  if (output.includes(0))
    throw new Unusable("changes a binary file that is no test, which a patch of text cannot carry");
  return new TextDecoder().decode(output);
}

async function changedFiles({ git_dir }: Repository, parent: string, id: string): Promise<ChangedFile[]> {
  const form = ["-r", "-z", "--raw", "--no-renames", "--abbrev=64"];
  const { output } = await gitOutput(git_dir, ["diff-tree", ...form, parent, id], { maxBytes: MEGABYTE });
  const words = output.toString().split("\0");
  const files = words.flatMap((header, index) =>
    index % 2 === 0 && header !== "" ? [fileOf(header, words[index + 1] ?? "")] : [],
  );
  if (files.length === 0) throw new Unusable("changes no file");
  if (files.length > MAX_CHANGED)
    throw new Unusable(`changes ${files.length} files, more than ${MAX_CHANGED}; a scenario needs one small fix`);
  return files;
}

const STATUS: Readonly<Record<string, ChangedFile["status"]>> = { A: "added", D: "removed", M: "changed" };

function fileOf(header: string, path: string): ChangedFile {
  const [before = "", after = "", , id = "", letter = ""] = header.slice(1).split(" ");
  const status = STATUS[letter];
  const isFile = [before, after].every((mode) => mode === "000000" || mode.startsWith("100"));
  if (status === undefined || !isFile)
    throw new Unusable(`changes ${path}, which is a link or a submodule; a fix of plain files is needed`);
  if (workspacePathFault(path) !== null || /["\p{Cc}]/u.test(path))
    throw new Unusable(`changes ${JSON.stringify(path)}, a name that a patch cannot carry`);
  return { path, status, id, executable: after === "100755" };
}
