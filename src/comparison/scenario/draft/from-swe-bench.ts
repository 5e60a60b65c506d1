import { applyingPatch, PatchEffort } from "../../../domain/apply-patch.ts";
import { CHANGED_FILE_BYTES, PATCH_BYTES } from "../../../domain/defaults.ts";
import { cut } from "../../../domain/excerpt.ts";
import { Mistake } from "../../../domain/failure.ts";
import { asRecord, asText, type LooseRecord, parseJson } from "../../../domain/lenient.ts";
import { type FilePatch, pathOfPatch } from "../../../domain/patch.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { SLUG_PATTERN } from "../../../domain/schema.ts";
import { steadily } from "../../../runtime/pace.ts";
import type { Draft, DraftCheck } from "../draft-scenario.ts";
import { textInTree } from "../git/git-files.ts";
import { readText } from "../read-text.ts";
import { objectAt, type Repository, repositoryAround } from "../repository.ts";
import { slugOf } from "../resolve/ids.ts";
import { checkPatch } from "../resolve/reference-fix.ts";
import { Unusable } from "../unusable.ts";
import { quotedForShell } from "./assertion.ts";
import { imageField, type StoredImage, type TaskImages, workIn } from "./container-task.ts";
import type { Note } from "./noted-document.ts";
import { commandsOf, repertoireAt, steeringFiles, type TestText } from "./test-files.ts";

/** Bytes of a file of rows. A row has two patches and the report of a problem. */
const ROWS_BYTES = 64 * 1024 * 1024;

/** One row, by its `instance_id`. */
interface BenchRow {
  readonly task: string;
  readonly name: string;
  readonly draft: (name: string, images?: TaskImages) => Promise<Draft>;
}

/**
 * The rows of a `.json` or `.jsonl` file in SWE-bench's form. Their repository is the one around `directory`.
 * @throws Unusable
 */
export async function sweBenchRows(file: string, directory: string): Promise<readonly BenchRow[]> {
  const rows = rowsIn(await readText(file, ROWS_BYTES));
  return rows.map((row, index) => {
    const id = asText(row?.["instance_id"]) ?? `row ${index + 1}`;
    const name = new RegExp(SLUG_PATTERN).test(id) ? id : slugOf(id, `row-${index + 1}`);
    return { task: cut(id), name, draft: (chosen, images) => draftOf(row, directory, { name: chosen, images }) };
  });
}

function rowsIn(text: string): readonly (LooseRecord | undefined)[] {
  const whole = parseJson(text);
  if (Array.isArray(whole)) return whole.map(asRecord);
  if (whole !== undefined) return [asRecord(whole)];
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => asRecord(parseJson(line)));
}

interface Naming {
  readonly name: string;
  readonly images: TaskImages | undefined;
}

async function draftOf(row: LooseRecord | undefined, directory: string, { name, images }: Naming): Promise<Draft> {
  if (row === undefined) throw new Unusable("is no JSON object");
  const field = (key: string) => {
    const text = asText(row[key]);
    if (text === undefined || text.trim() === "") throw new Unusable(`has no ${key}`);
    return text;
  };
  const [base, patch, test_patch] = [field("base_commit"), field("patch"), field("test_patch")];
  if (patch.length + test_patch.length > PATCH_BYTES) throw new Unusable("has patches that are too large");
  const fix = await checkPatch(patch);
  const repository = repositoryAround(directory);
  const { id: tree } = await objectAt(repository, commitId(base), undefined);
  const hidden = await patchedTests(repository, tree, test_patch);
  const repertoire = await repertoireAt(repository, tree);
  const image = images?.find(imageNames(row));
  const { checks, setup } = placed(commandsOf(hidden, repertoire), image);
  const listed = placed({ checks: listedTests(row, setup), setup }, image).checks;
  const fixed = fix.map(pathOfPatch);
  return {
    name,
    title: plainText(asText(row["problem_statement"])?.trim().split("\n", 1)[0] ?? "").trim() || name,
    origin: plainText(asText(row["instance_id"]) ?? name),
    form: "swe-bench",
    prompt: `${plainText(field("problem_statement")).trim()}\n`,
    ...(image === undefined ? { commit: base } : { image: imageField(image) }),
    repository: true,
    setup,
    checks: listed.length > 0 ? listed : checks,
    reference: { kind: "patch" },
    protected: steeringFiles(repertoire, fixed),
    named: [],
    questions: [],
    notes: NOTES,
    material: [
      { path: "reference.patch", text: patch.endsWith("\n") ? patch : `${patch}\n` },
      ...hidden.map(({ path, text }) => ({ path: `probe/${path}`, text })),
    ],
  };
}

const NOTES: readonly Note[] = [
  { path: ["task", "prompt"], text: "The problem as it was reported." },
  {
    path: ["task", "fixture"],
    text: "The state before the fix, as a repository of one commit: nobody reads the fix in its history.",
  },
];

/** What an image of a row may be called: as the row says, or as SWE-bench calls it. */
function imageNames(row: LooseRecord): string[] {
  const [id, ...named] = ["instance_id", "image_name", "docker_image"].flatMap((key) => asText(row[key]) ?? []);
  if (id === undefined) return [];
  return [id, ...named, `swebench/sweb.eval.x86_64.${id.replace("__", "_1776_").toLowerCase()}`];
}

/** In SWE-bench's images the packages of a repository are those of this environment. */
const CONDA = 'PATH="/opt/miniconda3/envs/testbed/bin:$PATH"; export PATH; ';

/** An image has what tests need. */
function placed<T extends Pick<Draft, "checks" | "setup">>(task: T, image: StoredImage | undefined) {
  if (image === undefined) return task;
  workIn(image);
  const checks = task.checks.map(({ run, ...check }) => ({
    ...check,
    ...(run !== undefined && { run: CONDA + run.replaceAll(".venv/bin/python", "python3") }),
  }));
  return { checks, setup: [] };
}

/** A hash alone: a name could move. */
function commitId(base: string): string {
  if (!/^[0-9a-f]{7,64}$/.test(base)) throw new Unusable(`has a base_commit that is no hash: ${cut(base)}`);
  return base;
}

/** Files that a test patch may change. git is asked for each. */
const MOST_TESTS = 1_000;

/** The files that the test patch leaves. @throws Unusable where it does not apply to the commit */
async function patchedTests(repository: Repository, tree: string, patch: string): Promise<TestText[]> {
  const changed = await checkPatch(patch);
  if (changed.length > MOST_TESTS)
    throw new Unusable(`has a test patch of ${changed.length} files; at most ${MOST_TESTS} are read`);
  const files: TestText[] = [];
  const effort = new PatchEffort();
  for (const file of changed)
    if (file.to !== null) files.push({ path: file.to, text: await patched(repository, tree, { file, effort }) });
  if (files.length === 0) throw new Unusable("has a test patch without tests");
  return files;
}

interface TestPatch {
  readonly file: FilePatch;
  readonly effort: PatchEffort;
}

async function patched(repository: Repository, tree: string, { file, effort }: TestPatch): Promise<string> {
  const before = file.from === null ? "" : await textInTree(repository, tree, file.from, CHANGED_FILE_BYTES);
  if (before === null) throw new Unusable(`has a test patch that does not apply: ${cut(pathOfPatch(file))}`);
  try {
    return await steadily(applyingPatch(before, file, effort));
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    throw new Unusable(`has a test patch that does not apply: ${cut(error.message)}`, { cause: error });
  }
}

/** Characters of the names of tests in one command. */
const COMMAND_CHARS = 60_000;

/** One check for the tests that the fix mends, one for those that it keeps, where pytest can be given their names. */
function listedTests(row: LooseRecord, setup: readonly string[]): DraftCheck[] {
  const python = setup.length > 0 ? ".venv/bin/python" : "python3";
  return (["FAIL_TO_PASS", "PASS_TO_PASS"] as const).flatMap((key) => {
    const given = row[key];
    const names = typeof given === "string" ? parseJson(given) : given;
    if (!Array.isArray(names) || names.length === 0 || !names.every(isPytestName)) return [];
    const words = names.map(quotedForShell).join(" ");
    if (words.length > COMMAND_CHARS) return [];
    return [{ file: key.toLowerCase().replaceAll("_", "-"), run: `${python} -m pytest -q ${words}`, timeout_s: 600 }];
  });
}

const isPytestName = (name: unknown): name is string =>
  typeof name === "string" && /^[^\s'-][^\n']*\.py::[^\n']+$/.test(name);
