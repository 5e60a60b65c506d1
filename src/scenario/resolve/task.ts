import { RE2JS } from "re2js";
import { CHECK_TIMEOUT_S } from "../../domain/defaults.ts";
import { cut } from "../../domain/excerpt.ts";
import type { Probe, ProbeCheck, SetupStep, Task } from "../../domain/scenario.ts";
import type { CheckFile, ProbeFile, TaskFile } from "../authored/task-file.ts";
import type { ResolveContext } from "./context.ts";
import { resolveFileSet } from "./file-set.ts";
import { resolveFixtureFile } from "./fixture-file.ts";
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
  const fixture =
    task.fixture === undefined ? null : await resolveFixtureFile(context, ["task", "fixture"], task.fixture);
  return {
    prompt: task.prompt,
    fixture,
    setup: (task.setup ?? []).map(setupStep),
    probe: task.probe === undefined ? null : await resolveProbe(context, task.probe),
    reference_fix: await resolveReferenceFix(context, task.reference_fix, fixture),
    deliverable: task.deliverable ?? ["**"],
  };
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
