import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { CHANGED_FILE_BYTES, MATERIAL_BYTES } from "../../../domain/defaults.ts";
import { literalGlob } from "../../../domain/path-glob.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Draft } from "../draft-scenario.ts";
import { textOfBlob } from "../git/git-files.ts";
import { fileIn, type TreeFile } from "../git/tree.ts";
import { objectAt, type Repository, repositoryAround } from "../repository.ts";
import { hasScenario } from "../resolve/exposed.ts";
import { checkPatch } from "../resolve/reference-patch.ts";
import { Unusable } from "../unusable.ts";
import { type FixingCommit, patchBetween, readFixingCommit } from "./fixing-commit.ts";
import type { Note } from "./noted-document.ts";
import { commandsOf, repertoireAt, type TestText } from "./repository-tests.ts";
import { isTestFile, type Repertoire, steeringFiles } from "./test-files.ts";

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
async function textIfAny(repository: Repository, file: TreeFile): Promise<string | null> {
  try {
    return await textOfBlob(repository, file, CHANGED_FILE_BYTES);
  } catch (error) {
    if (error instanceof Unusable) return null;
    throw error;
  }
}
