import { CHECK_TIMEOUT_S, SETUP_TIMEOUT_S } from "../../../domain/defaults.ts";
import type { Probe, ProbeCheck, SetupStep, Task } from "../../../domain/task.ts";
import type { CheckFile, ProbeFile, TaskFile } from "../authored/task-file.ts";
import type { ResolveContext } from "./context.ts";
import { resolveFileSet } from "./file-set.ts";
import { resolveFixtureFile } from "./fixture-file.ts";
import { checkPathGlobs } from "./globs.ts";
import { assignIds, checkDistinct } from "./ids.ts";
import { checkPattern } from "./pattern.ts";
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
    ? { run: step, timeout_s: SETUP_TIMEOUT_S }
    : { run: step.run, timeout_s: step.timeout_s ?? SETUP_TIMEOUT_S };

async function resolveProbe(context: ResolveContext, { dir, files, checks }: ProbeFile): Promise<Probe> {
  const path = ["task", "probe"];
  const given = checks.map((check) => (typeof check === "string" ? undefined : check.id));
  checkDistinct(context.problems, [...path, "checks"], given);
  const ids = assignIds(given.map((id, index) => ({ given: id, proposed: `check-${index + 1}` })));
  for (const [index, check] of checks.entries()) {
    const pattern = typeof check === "string" ? undefined : check.output_matches;
    if (pattern !== undefined) checkPattern(context.problems, [...path, "checks", index, "output_matches"], pattern);
  }
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
