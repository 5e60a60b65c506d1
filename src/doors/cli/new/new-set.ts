import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { checkIds, type Draft, type MeasuredCheck } from "../../../comparison/scenario/draft-scenario.ts";
import type { FoundTask } from "../../../comparison/scenario/draft-tasks.ts";
import { Unusable } from "../../../comparison/scenario/unusable.ts";
import { cut, excerpt } from "../../../domain/excerpt.ts";
import { Failure } from "../../../domain/failure.ts";
import { counted } from "../../../domain/number-text.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { systemEntropy } from "../../../runtime/clock.ts";
import { demandSandbox } from "../../doctor/measure-checks.ts";
import type { Services } from "../../doctor/services.ts";
import { checkProgress, openChecking } from "../check-scenarios.ts";
import { complain, EXIT, unlessInterrupted } from "../exit-code.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import { isDumbTerminal } from "../services/services.ts";
import { isTerminal, writeStdout } from "../terminal/terminal.ts";
import { conversionText, type TaskResult } from "./conversion.ts";
import { KeptConversion, triedBefore } from "./kept-conversion.ts";
import { type ImagesOfUser, reasonsOf, type StagedDraft, stageDraft, taskImages } from "./stage-draft.ts";

interface TaskSet {
  /** To be made, as the user named it. */
  readonly directory: string;
  readonly from: string;
  readonly tasks: readonly FoundTask[];
}

/** Tasks that are tried at once: each check has a processor of its own. */
const MAX_LANES = 8;

/** Bytes of all files of a set: what one directory should hold. */
const SET_BYTES = 4e9;

/**
 * Makes a directory of scenarios, and tells what was made and refused. What is made is there at once, and whoever is stopped goes on
 * with the same command. A set of which nothing can be made leaves nothing. Returns the exit status.
 * @throws UsageError; then nothing was written.
 */
export async function newSet(args: RunArguments, { directory, from, tasks }: TaskSet): Promise<number> {
  const before = await triedBefore(directory, from);
  return await unlessInterrupted(async (signal) => {
    await using services = await openChecking(join(directory, "scenarios.yaml"), args);
    await demandSandbox(services);
    const images = await taskImages(services);
    const above = await mkdir(resolve(directory), { recursive: true });
    const kept = new KeptConversion({ directory, from, tasks, before });
    const staging = join(dirname(resolve(directory)), `.${basename(directory)}.${systemEntropy(4)}.tmp`);
    using progress = setProgress(!args.has("quiet"), { from, total: tasks.length, before });
    try {
      await convertAll({ services, staging, directory: resolve(directory), tasks, images, kept, progress }, signal);
    } finally {
      await rm(staging, { recursive: true, force: true });
      await leave(kept, above);
    }
    await writeStdout(plainText(conversionText(kept.conversion, { directory, from, images: images !== undefined })));
    return kept.conversion.made.length > 0 ? EXIT.done : EXIT.usage;
  });
}

/** Leaves the table of what was tried, and nothing where nothing is to be had. */
async function leave(kept: KeptConversion, above: string | undefined): Promise<void> {
  const { made, refused, unfinished } = kept.conversion;
  const isWorthIt = made.length > 0 || (unfinished !== undefined && refused.length > 0);
  if (isWorthIt) {
    kept.write();
    if (unfinished)
      complain(`${counted(unfinished.waiting, "task")} left to try; the same command continues`, EXIT.done);
  } else if (above !== undefined) await rm(above, { recursive: true, force: true });
  else kept.remove();
}

interface Converting {
  readonly services: Services;
  readonly staging: string;
  readonly directory: string;
  readonly tasks: readonly FoundTask[];
  readonly images: ImagesOfUser;
  readonly kept: KeptConversion;
  readonly progress: ReturnType<typeof setProgress>;
}

/** Every task is made or refused. @throws the signal's reason when it fires; what ends one lane, such as a full disk, ends all */
async function convertAll(
  { services, staging, directory, tasks, images, kept, progress }: Converting,
  stop: AbortSignal,
): Promise<void> {
  const own = new AbortController();
  const signal = AbortSignal.any([stop, own.signal]);
  const waiting = kept.waiting.values();
  let room = SET_BYTES - (await bytesIn(directory));
  const lane = async () => {
    for (const index of waiting) {
      const task = tasks[index];
      if (task === undefined) continue;
      signal.throwIfAborted();
      const place = join(staging, String(index));
      await mkdir(place, { recursive: true });
      progress.began(task.task, "Reading");
      const announce = (title: string) => progress.began(task.task, title);
      const tried = await convert({ ...services, announce }, task, { directory: place, images }, signal);
      const bytes = await bytesIn(place);
      const result = "reason" in tried || bytes <= room ? tried : { task: task.task, reason: TOO_MUCH };
      if ("scenario" in result) {
        room -= bytes;
        await moveAll(place, directory, result.scenario);
      }
      await rm(place, { recursive: true, force: true });
      kept.add(index, result);
      progress.ended(result);
    }
  };
  const lanes = Array.from({ length: Math.min(MAX_LANES, availableParallelism(), tasks.length) }, () =>
    lane().catch((error: unknown) => own.abort(error)),
  );
  // Every lane has stopped before the directory around them is removed.
  await Promise.all(lanes);
  signal.throwIfAborted();
}

/** The scenario's file comes last, so that one that is there is complete. What a killed process left of it is replaced. */
async function moveAll(from: string, to: string, scenario: string): Promise<void> {
  const material = (await readdir(from)).filter((name) => name !== scenario);
  for (const name of [...material, scenario]) {
    await rm(join(to, name), { recursive: true, force: true });
    await rename(join(from, name), join(to, name));
  }
}

const TOO_MUCH = `makes the set too large: more than ${SET_BYTES / 1e9} GB`;

async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await lstat(join(entry.parentPath, entry.name))).size : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function convert(
  services: Services,
  { task, name, draft }: FoundTask,
  { directory, images }: { readonly directory: string; readonly images: ImagesOfUser },
  signal: AbortSignal,
): Promise<TaskResult> {
  try {
    const staged = await stageDraft(services, await draft(name, images), { directory, file: `${name}.yaml` }, signal);
    const reason = whyUseless(staged);
    if (reason !== null) return { task, reason };
    const { reference, image } = staged.draft;
    const made = { task, scenario: `${name}.yaml`, reference: reference === null ? "none" : "passed" } as const;
    return { ...made, ...(image && { image: image.path }) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Unusable) return { task, reason: error.message };
    if (error instanceof Failure) return { task, reason: `makes no valid scenario: ${reasonsOf(error)}` };
    throw error;
  }
}

/** Tells how far a set is: in one line of a terminal, and elsewhere in a line for each task. */
interface SetProgress extends Disposable {
  began(task: string, doing: string): void;
  ended(result: TaskResult): void;
}

/** Characters of a reason in a line; `conversion.json` has them all. */
const LINE_CHARS = 160;

function setProgress(
  wanted: boolean,
  { from, total, before }: { readonly from: string; readonly total: number; readonly before: readonly TaskResult[] },
): SetProgress {
  const live = checkProgress(wanted);
  const count = { done: before.length, made: before.filter((result) => "scenario" in result).length };
  const isLive = isTerminal(2) && !isDumbTerminal();
  return {
    began: (task, doing) => live.show(from, `${count.done} of ${total} tried, ${count.made} made; ${task}: ${doing}`),
    ended: (result) => {
      count.done += 1;
      if ("scenario" in result) count.made += 1;
      const became =
        "scenario" in result ? "made" : `refused: ${cut(result.reason.split("\n", 1)[0] ?? "", LINE_CHARS)}`;
      if (wanted && !isLive)
        process.stderr.write(
          `${plainText(`${count.done} of ${total}  ${result.task}  ${became}`).replaceAll(/\s*[\r\n]+\s*/g, " ")}\n`,
        );
    },
    [Symbol.dispose]: () => live[Symbol.dispose](),
  };
}

/** Why a scenario would say nothing about an arm on this machine; null when it says something. */
function whyUseless({ draft, seen, unsolved }: StagedDraft): string | null {
  if (unsolved !== null) return `its own solution gives no reference fix: ${unsolved}`;
  if (seen.failed !== null) return `cannot be tried: ${excerpt(seen.failed, REASON_CHARS)}`;
  const tried = triedChecks(draft, seen.checks);
  const lacking = tried.find(({ cannot_run }) => cannot_run !== null);
  if (lacking) return `lacks what its checks need: ${lacking.cannot_run}`;
  return whyUnproven(draft, tried) ?? whyIdle(draft, tried);
}

/** Characters of a failure that a reason shows. */
const REASON_CHARS = 600;

interface TriedCheck extends MeasuredCheck {
  readonly id: string;
}

/** The commands. Other checks are what their words say. */
function triedChecks({ checks }: Draft, seen: readonly MeasuredCheck[]): readonly TriedCheck[] {
  const ids = checkIds(checks);
  return checks.flatMap(({ run }, index) => {
    const [found, id] = [seen[index], ids[index]];
    return run === undefined || found === undefined || id === undefined ? [] : [{ ...found, id }];
  });
}

function whyUnproven({ reference }: Draft, tried: readonly TriedCheck[]): string | null {
  const failing = reference !== null && tried.find(({ after }) => after === "fail");
  if (failing) return `its own solution does not pass its checks: ${failing.id}: ${failing.reason}`;
  const wavering = tried.find(({ before, after }) => before === null || (reference !== null && after === null));
  return wavering ? `its checks are not repeatable: two runs of ${wavering.id} differed` : null;
}

const whyIdle = ({ checks }: Draft, tried: readonly TriedCheck[]) =>
  tried.length > 0 && tried.length === checks.length && tried.every(({ before }) => before === "pass")
    ? "its checks pass before the work, so an arm that does nothing passes"
    : null;
