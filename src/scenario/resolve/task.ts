import { RE2JS } from "re2js";
import { CHECK_TIMEOUT_S } from "../../domain/defaults.ts";
import { cut } from "../../domain/excerpt.ts";
import type { FileSet, Files, Probe, ProbeCheck, SetupStep, Task } from "../../domain/scenario.ts";
import type { CheckFile, FixtureFile, ProbeFile, TaskFile } from "../authored/task-file.ts";
import { attempt, type ResolveContext } from "./context.ts";
import { checkInlinePaths, resolveFileSet } from "./file-set.ts";
import { repositoryOf, treeAt } from "./git-source.ts";
import { checkPathGlobs } from "./globs.ts";
import { assignIds, checkDistinct } from "./ids.ts";
import { resolveReferenceFix } from "./reference-fix.ts";

/** The task with the digests of its files. Meaningless after a problem. */
export async function resolveTask(context: ResolveContext, task: TaskFile): Promise<Task> {
  const { problems } = context;
  if (task.prompt.trim() === "") problems.add(["task", "prompt"], "must not be blank");
  checkPathGlobs(problems, ["task", "deliverable"], task.deliverable);
  if (task.deliverable?.length === 0)
    problems.add(["task", "deliverable"], "with an empty list no change counts; leave it out to count everything");
  const fixture = await resolveFixture(context, task.fixture);
  return {
    prompt: task.prompt,
    fixture,
    setup: (task.setup ?? []).map(setupStep),
    probe: task.probe === undefined ? null : await resolveProbe(context, task.probe),
    reference_fix: await resolveReferenceFix(context, task.reference_fix, fixture),
    deliverable: task.deliverable ?? ["**"],
  };
}

async function resolveFixture(context: ResolveContext, fixture: FixtureFile | undefined): Promise<FileSet | null> {
  const path = ["task", "fixture"];
  if (fixture === undefined) return null;
  if (typeof fixture === "string")
    return resolveFileSet(context, { dir: fixture, dirPath: path, files: undefined, filesPath: path });
  const { dir, git, path: below, files } = fixture;
  if (dir === undefined && git === undefined && files === undefined)
    context.problems.add(path, "needs `dir`, `git` or `files`; leave it out for an empty workspace");
  if (git !== undefined && dir !== undefined) context.problems.add([...path, "git"], "`dir` is given too; keep one");
  if (git === undefined && below !== undefined)
    context.problems.add([...path, "path"], "goes with `git`; a directory beside the scenario file is `dir`");
  if (git !== undefined) return resolveGitFixture(context, git, below, files);
  return resolveFileSet(context, { dir, dirPath: [...path, "dir"], files, filesPath: [...path, "files"] });
}

/** Resolves the ref to a tree. Only the tree is stored and run. */
async function resolveGitFixture(
  context: ResolveContext,
  ref: string,
  path: string | undefined,
  files: Files = {},
): Promise<FileSet> {
  const at = ["task", "fixture", "git"];
  const filesPath = ["task", "fixture", "files"];
  checkInlinePaths(context, filesPath, files);
  const broken: FileSet = { dir: null, files, digest: "" };
  if (!context.problems.sound(at) || !context.problems.sound(filesPath)) return broken;
  const found = await attempt(context, at, JSON.stringify(cut(ref)), async (): Promise<FileSet> => {
    const tree = await treeAt(context, ref, path);
    const digest = await context.git?.digest(repositoryOf(context), tree, files);
    return { dir: null, git: { tree }, files, digest: digest ?? "" };
  });
  return found ?? broken;
}

const setupStep = (step: NonNullable<TaskFile["setup"]>[number]): SetupStep =>
  typeof step === "string"
    ? { run: step, timeout_s: CHECK_TIMEOUT_S }
    : { run: step.run, timeout_s: step.timeout_s ?? CHECK_TIMEOUT_S };

async function resolveProbe(context: ResolveContext, { dir, files, checks }: ProbeFile): Promise<Probe> {
  const path = ["task", "probe"];
  const given = checks.map((check) => (typeof check === "string" ? undefined : check.id));
  checkDistinct(context.problems, [...path, "checks"], given);
  const ids = assignIds(given.map((id, index) => ({ given: id, proposed: `check-${index + 1}` })));
  for (const [index, check] of checks.entries()) checkPattern(context, index, check);
  const set = { dir, dirPath: [...path, "dir"], files, filesPath: [...path, "files"] };
  return {
    files: await resolveFileSet(context, set),
    checks: checks.map((check, index) => resolveCheck(check, ids[index] ?? "")),
  };
}

function resolveCheck(check: CheckFile, id: string): ProbeCheck {
  const authored = typeof check === "string" ? { run: check } : check;
  return {
    before: null,
    required: false,
    weight: 1,
    timeout_s: CHECK_TIMEOUT_S,
    expect_exit: 0,
    output_matches: null,
    ...authored,
    id,
  };
}

const MAX_PATTERN = 1_000;

/** `/regex/` must compile in RE2, which matches in linear time. */
function checkPattern({ problems }: ResolveContext, index: number, check: CheckFile): void {
  const text = typeof check === "string" ? undefined : check.output_matches;
  if (text === undefined) return;
  const path = ["task", "probe", "checks", index, "output_matches"];
  if (text.length > MAX_PATTERN) problems.add(path, `is longer than ${MAX_PATTERN} characters`);
  else if (text.length > 1 && text.startsWith("/") && text.endsWith("/")) {
    const fault = regexFault(text.slice(1, -1));
    if (fault !== null) problems.add(path, `${cut(text)} is not a regular expression (RE2 syntax): ${fault}`);
  }
}

function regexFault(source: string): string | null {
  if (source === "") return "it is empty and would match everything";
  try {
    RE2JS.compile(source);
    return null;
  } catch (error) {
    // RE2 throws its own errors, all of them about the pattern.
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
  }
}
