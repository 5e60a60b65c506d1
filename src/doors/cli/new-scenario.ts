import { constants, existsSync } from "node:fs";
import { copyFile, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import {
  checkIds,
  type Draft,
  type MeasuredCheck,
  PLACEHOLDER,
  untriedLine,
} from "../../comparison/scenario/draft-scenario.ts";
import { type FoundTasks, findTasks } from "../../comparison/scenario/draft-tasks.ts";
import { SCENARIO_ENDINGS } from "../../comparison/scenario/load-scenario.ts";
import { Unusable } from "../../comparison/scenario/unusable.ts";
import { errorCode, Failure } from "../../domain/failure.ts";
import { plainText } from "../../domain/plain-text.ts";
import { SLUG_PATTERN } from "../../domain/schema.ts";
import { systemEntropy } from "../../runtime/clock.ts";
import { diagnoseFile, diagnoseMachine } from "../doctor/doctor.ts";
import type { Services } from "../doctor/services.ts";
import { checkProgress, openChecking } from "./check-scenarios.ts";
import { EXIT, unlessInterrupted } from "./exit-code.ts";
import { UsageError } from "./flags/parse-arguments.ts";
import type { RunArguments } from "./flags/run-flags.ts";
import { demandFlagsOf } from "./flags/tool-flags.ts";
import { newSet } from "./new/new-set.ts";
import { reasonsOf, type StagedDraft, stageDraft, taskImages } from "./new/stage-draft.ts";
import { doctorText } from "./terminal/doctor-text.ts";
import { stdoutWidth, writeStdout } from "./terminal/terminal.ts";

/** The file to write, and the directory of its material beside it. */
interface Target {
  readonly file: string;
  readonly name: string;
  readonly directory: string;
  readonly material: string;
}

/**
 * `abeval new`: a scenario made of a commit or a task, checked; or a directory of them, made of a set. Returns the exit
 * status. @throws UsageError; then nothing was written.
 */
export async function newScenario(args: RunArguments): Promise<number> {
  demandFlagsOf("new", args);
  const from = args.value("from");
  if (from === undefined) throw new UsageError("--new needs --from <commit>, <task> or <directory of tasks>");
  const [file = "", extra] = args.parameters;
  if (extra !== undefined) throw new UsageError(`unexpected "${extra}"; --new writes one file or directory`);
  const isFile = SCENARIO_ENDINGS.includes(extname(file));
  const directory = existingAbove(dirname(resolve(file)));
  const found = await usable(`--from ${from}`, () => findTasks(from, directory));
  if (!isFile && found.isCommit)
    throw new UsageError(`--new ${file}: the name of one scenario must end in .yaml or .yml`);
  if (!isFile) return await newSet(args, { directory: file, from, tasks: found.tasks });
  if (found.tasks.length > 1)
    throw new UsageError(
      `--from ${from}: is a set of ${found.tasks.length} tasks; give --new a directory in place of ${file}`,
    );
  return await newFile(args, from, found);
}

async function newFile(args: RunArguments, from: string, { tasks: [task] }: FoundTasks): Promise<number> {
  const [file = ""] = args.parameters;
  const target = targetOf(file);
  return await unlessInterrupted(async (signal) => {
    await using services = await openChecking(file, args);
    const draft = await usable(`--from ${from}`, async () => {
      if (task === undefined) throw new Unusable("holds no task");
      return await task.draft(target.name, await taskImages(services));
    });
    using progress = checkProgress(!args.has("quiet"));
    const announcing = { ...services, announce: (title: string) => progress.show(file, title) };
    const staged = await usable(file, () => writeScenario(announcing, target, draft, signal));
    const environment = await diagnoseMachine(announcing, signal);
    const report = await diagnoseFile(announcing, { path: file, environment }, signal);
    await writeStdout(doctorText([{ file, report }], stdoutWidth()) + plainText(nextSteps(file, staged)));
    return report.ok ? EXIT.done : EXIT.usage;
  });
}

function targetOf(file: string): Target {
  const ending = extname(file);
  const name = basename(file, ending);
  if (!new RegExp(SLUG_PATTERN).test(name))
    throw new UsageError(`--new ${file}: "${name}" is no name of a scenario; use letters, digits, ".", "_" and "-"`);
  const directory = resolve(dirname(file));
  const target = { file, name, directory, material: join(directory, name) };
  for (const path of [file, target.material])
    if (existsSync(path)) throw new UsageError(`--new ${file}: ${path} exists, and nothing is overwritten`);
  return target;
}

/** The nearest existing directory, whose repository holds the new one. */
function existingAbove(directory: string): string {
  let at = directory;
  while (!existsSync(at)) at = dirname(at);
  return at;
}

/** Writes and measures in a temporary directory, so that the file appears whole or not at all. */
async function writeScenario(
  services: Services,
  target: Target,
  draft: Draft,
  signal: AbortSignal,
): Promise<StagedDraft> {
  const made = await mkdir(target.directory, { recursive: true });
  const staging = join(target.directory, `.${target.name}.${systemEntropy(4)}.tmp`);
  await mkdir(staging);
  try {
    const staged = await stageDraft(services, draft, { directory: staging, file: basename(target.file) }, signal);
    await place(staging, target);
    await rm(staging, { recursive: true, force: true });
    return staged;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (made !== undefined) await removeEmpty(target.directory, made);
    throw error;
  }
}

/** The scenario file is moved last, so that a listed scenario is complete. */
async function place(staging: string, { file, name, material }: Target): Promise<void> {
  await rename(join(staging, name), material);
  try {
    await copyFile(join(staging, basename(file)), resolve(file), constants.COPYFILE_EXCL);
  } catch (error) {
    await rm(material, { recursive: true, force: true });
    throw error;
  }
}

/** Removes empty directories from `directory` up to `top`. */
async function removeEmpty(directory: string, top: string): Promise<void> {
  for (let at = directory; at.length >= top.length; at = dirname(at))
    if (
      !(await rmdir(at).then(
        () => true,
        () => false,
      ))
    )
      return;
}

async function usable<T>(subject: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof Unusable) throw new UsageError(`${subject}: ${error.message}`);
    if (error instanceof Failure && error.code === "invalid_scenario")
      throw new UsageError(`${subject}: cannot be made: ${reasonsOf(error)}`);
    const code = errorCode(error);
    if (code?.startsWith("E")) throw new UsageError(`${subject}: cannot be written (${code})`);
    throw error;
  }
}

/** Why each useless check is of no use. */
const checkSteps = ({ checks }: Draft, seen: readonly MeasuredCheck[]): string[] =>
  checkIds(checks).flatMap((id, index) => {
    const found = seen[index];
    if (checks[index]?.run === PLACEHOLDER)
      return [`check ${id} runs nothing: write the command for its tests, then add \`required: true\``];
    if (found?.cannot_run) return [`check ${id} cannot run: ${found.cannot_run}, then add \`required: true\``];
    return found?.after === "fail"
      ? [`check ${id} fails with the fix, too (${found.reason}): fix the check, or remove it`]
      : [];
  });

const WHEN_MENDED = "fix that, see what `--check` says about each check, and add `before` and `required: true`";

function nextSteps(file: string, { draft, seen, unsolved }: StagedDraft): string {
  const isCommit = draft.commit !== undefined;
  const steps = [
    ...(unsolved === null ? [] : [`the task's own solution gave no reference fix: ${unsolved}`]),
    ...(seen.failed === null ? checkSteps(draft, seen.checks) : [`${untriedLine(seen.failed)}; ${WHEN_MENDED}`]),
    ...draft.named.map((path) => `the fix adds ${path}, which the tests may name: say so in the prompt`),
    ...(isCommit
      ? ["rewrite task.prompt as a report of the problem: the commit's message may tell the solution"]
      : ["read task.prompt: it is what the task says"]),
    ...(draft.checks.length === 0
      ? [
          `the ${isCommit ? "commit" : "task"} has no tests, so no check judges the arms: write a probe with a check that fails before the work`,
        ]
      : []),
    "make the arms what you want to compare",
    `abeval check ${file}; then abeval run ${file} --model <provider>/<model>`,
  ];
  return `\nWritten: ${file}. Next:\n${steps.map((step, index) => `  ${index + 1}. ${step}\n`).join("")}`;
}
