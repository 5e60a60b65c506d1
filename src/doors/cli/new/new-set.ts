import { lstat, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { FoundTask } from "../../../comparison/scenario/draft-tasks.ts";
import { Unusable } from "../../../comparison/scenario/unusable.ts";
import { Failure } from "../../../domain/failure.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { systemEntropy } from "../../../runtime/clock.ts";
import { demandSandbox } from "../../doctor/measure-checks.ts";
import type { Services } from "../../doctor/services.ts";
import { checkProgress, openChecking } from "../check-scenarios.ts";
import { EXIT, unlessInterrupted } from "../exit-code.ts";
import { UsageError } from "../flags/arguments.ts";
import type { RunArguments } from "../flags/run-arguments.ts";
import { writeStdout } from "../terminal/terminal.ts";
import { type Conversion, conversionText, type MadeTask, type RefusedTask } from "./conversion.ts";
import { reasonsOf } from "./reasons.ts";
import { stageDraft } from "./stage-draft.ts";
import { whyUseless } from "./why-useless.ts";

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
 * Makes a directory of scenarios, and tells what was made and refused. It appears whole or not at all. Returns the exit status.
 * @throws UsageError; then nothing was written.
 */
export async function newSet(args: RunArguments, { directory, from, tasks }: TaskSet): Promise<number> {
  await demandFree(directory);
  return await unlessInterrupted(async (signal) => {
    await using services = await openChecking(join(directory, "scenarios.yaml"), args);
    await demandSandbox(services);
    using progress = checkProgress(!args.has("quiet"));
    const parent = dirname(resolve(directory));
    const above = await mkdir(parent, { recursive: true });
    const staging = join(parent, `.${basename(directory)}.${systemEntropy(4)}.tmp`);
    let conversion: Conversion | undefined;
    try {
      let done = 0;
      const tried = (task: string) => progress.show(from, `${++done} of ${tasks.length}: ${task}`);
      conversion = await convertAll({ services, staging, tasks, tried }, signal);
      if (conversion.made.length > 0) await place(staging, directory, conversion);
    } finally {
      await rm(staging, { recursive: true, force: true });
      if (above !== undefined && !conversion?.made.length) await rm(above, { recursive: true, force: true });
    }
    await writeStdout(plainText(conversionText(conversion, { directory, from })));
    return conversion.made.length > 0 ? EXIT.done : EXIT.usage;
  });
}

/** @throws UsageError for what exists and is not an empty directory */
async function demandFree(directory: string): Promise<void> {
  const stats = await stat(directory).catch(() => null);
  if (stats === null) return;
  if (!stats.isDirectory())
    throw new UsageError(`--new ${directory}: is a file; name a new directory, or a scenario file that ends in .yaml`);
  if ((await readdir(directory)).length > 0)
    throw new UsageError(`--new ${directory}: the directory exists and is not empty, and nothing is overwritten`);
}

async function place(staging: string, directory: string, conversion: Conversion): Promise<void> {
  await writeFile(join(staging, "conversion.json"), `${JSON.stringify(conversion, null, 2)}\n`);
  await rename(staging, resolve(directory));
}

interface Converting {
  readonly services: Services;
  readonly staging: string;
  readonly tasks: readonly FoundTask[];
  readonly tried: (task: string) => void;
}

/** Every task is made or refused. @throws the signal's reason when it fires */
async function convertAll({ services, staging, tasks, tried }: Converting, signal: AbortSignal): Promise<Conversion> {
  const results: (MadeTask | RefusedTask)[] = [];
  const waiting = tasks.entries();
  let room = SET_BYTES;
  const lane = async () => {
    for (const [index, task] of waiting) {
      signal.throwIfAborted();
      const directory = join(staging, `.${index}`);
      await mkdir(directory, { recursive: true });
      const result = await convert(services, task, directory, signal);
      const bytes = await bytesIn(directory);
      const fits = bytes <= room;
      results[index] = "reason" in result || fits ? result : { task: task.task, reason: TOO_MUCH };
      if (fits && "scenario" in result) {
        room -= bytes;
        await moveAll(directory, staging);
      }
      await rm(directory, { recursive: true, force: true });
      tried(task.task);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_LANES, availableParallelism(), tasks.length) }, lane));
  return {
    made: results.filter((result) => "scenario" in result),
    refused: results.filter((result) => "reason" in result),
  };
}

async function moveAll(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) await rename(join(from, name), join(to, name));
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
  directory: string,
  signal: AbortSignal,
): Promise<MadeTask | RefusedTask> {
  try {
    const staged = await stageDraft(services, await draft(name), { directory, file: `${name}.yaml` }, signal);
    const reason = whyUseless(staged);
    if (reason !== null) return { task, reason };
    return { task, scenario: `${name}.yaml`, reference: staged.draft.reference === null ? "none" : "passed" };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Unusable) return { task, reason: error.message };
    if (error instanceof Failure) return { task, reason: `makes no valid scenario: ${reasonsOf(error)}` };
    throw error;
  }
}
