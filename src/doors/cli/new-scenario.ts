import { existsSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import {
  checkIds,
  type Draft,
  type MeasuredCheck,
  PLACEHOLDER,
  untriedLine,
} from "../../comparison/scenario/draft-scenario.ts";
import { type FoundTasks, findTasks } from "../../comparison/scenario/draft-tasks.ts";
import { SCENARIO_ENDINGS } from "../../comparison/scenario/load-scenario.ts";
import { writeWhole } from "../../comparison/scenario/make-scenario.ts";
import { Unusable } from "../../comparison/scenario/unusable.ts";
import { plainText } from "../../domain/plain-text.ts";
import { diagnoseFile, diagnoseMachine } from "../doctor/doctor.ts";
import { checkProgress, openChecking } from "./check-scenarios.ts";
import { EXIT, unlessInterrupted } from "./exit-code.ts";
import { UsageError } from "./flags/parse-arguments.ts";
import type { RunArguments } from "./flags/run-flags.ts";
import { demandFlagsOf } from "./flags/tool-flags.ts";
import { newFileAt, usable } from "./new/new-file.ts";
import { newSet } from "./new/new-set.ts";
import { type StagedDraft, stageDraft, taskImages } from "./new/stage-draft.ts";
import { doctorText } from "./terminal/doctor-text.ts";
import { stdoutWidth, writeStdout } from "./terminal/terminal.ts";

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
  const target = newFileAt(file);
  return await unlessInterrupted(async (signal) => {
    await using services = await openChecking(file, args);
    const draft = await usable(`--from ${from}`, async () => {
      if (task === undefined) throw new Unusable("holds no task");
      return await task.draft(target.name, await taskImages(services));
    });
    using progress = checkProgress(!args.has("quiet"));
    const announcing = { ...services, announce: (title: string) => progress.show(file, title) };
    const staged = await usable(file, () =>
      writeWhole(target, (staging) =>
        stageDraft(announcing, draft, { directory: staging, file: basename(file) }, signal),
      ),
    );
    const environment = await diagnoseMachine(announcing, signal);
    const report = await diagnoseFile(announcing, { path: file, environment }, signal);
    await writeStdout(doctorText([{ file, report }], stdoutWidth()) + plainText(nextSteps(file, staged)));
    return report.ok ? EXIT.done : EXIT.usage;
  });
}

/** The nearest existing directory, whose repository holds the new one. */
function existingAbove(directory: string): string {
  let at = directory;
  while (!existsSync(at)) at = dirname(at);
  return at;
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
