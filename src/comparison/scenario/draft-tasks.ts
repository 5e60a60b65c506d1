import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SLUG_PATTERN } from "../../domain/schema.ts";
import { isBelow } from "./confined-path.ts";
import { type StoredImage, TaskImages } from "./draft/container-task.ts";
import { draftFromCommit } from "./draft/from-commit.ts";
import { draftFromExercism, EXERCISM_MARKER } from "./draft/from-exercism.ts";
import { draftFromHarbor, draftFromTerminalBench, HARBOR_MARKER, TERMINAL_BENCH_MARKER } from "./draft/from-harbor.ts";
import { PROMPTFOO_MARKER, promptTests } from "./draft/from-promptfoo.ts";
import { SKILL_EVALS_MARKER, skillEvals } from "./draft/from-skill-evals.ts";
import { sweBenchRows } from "./draft/from-swe-bench.ts";
import type { Material } from "./draft/material.ts";
import type { Draft } from "./draft-scenario.ts";
import { writeBlobs } from "./git/git-files.ts";
import { assignIds, slugOf } from "./resolve/ids.ts";
import { Unusable, unusable } from "./unusable.ts";
/** A task of somebody else that was found and not yet read. */
export interface FoundTask {
  /** The name that messages use. */
  readonly task: string;
  /** What its scenario is called when nobody says otherwise. */
  readonly name: string;
  /** @throws Unusable with the reason why no scenario can be made of it */
  readonly draft: (name: string, images?: TaskImages) => Promise<Draft>;
}

export interface FoundTasks {
  /** The names of several differ. */
  readonly tasks: readonly FoundTask[];
  /** It is a commit, not what lies in a file or a directory. */
  readonly isCommit: boolean;
}

/** A form of tasks, which a file tells. */
interface TaskForm {
  readonly marker: string;
  /** @param directory that has the marker @throws Unusable */
  readonly found: (directory: string, task: string) => Promise<readonly FoundTask[]>;
}

const FORMS: readonly TaskForm[] = [
  oneTask(HARBOR_MARKER, draftFromHarbor),
  oneTask(TERMINAL_BENCH_MARKER, draftFromTerminalBench),
  oneTask(EXERCISM_MARKER, draftFromExercism),
  { marker: SKILL_EVALS_MARKER, found: skillEvals },
  { marker: PROMPTFOO_MARKER, found: promptTests },
];

type DraftTask = (directory: string, name: string, images?: TaskImages) => Promise<Draft>;

function oneTask(marker: string, draft: DraftTask): TaskForm {
  const found = async (directory: string, task: string): Promise<readonly FoundTask[]> => [
    { task, name: nameFrom(basename(directory)), draft: (name, images) => draft(directory, name, images) },
  ];
  return { marker, found };
}

/** A name that can stand as it is, or the nearest that can. */
const nameFrom = (words: string) => (new RegExp(SLUG_PATTERN).test(words) ? words : slugOf(words, "task"));

/**
 * The tasks that `from` names: a task, a directory of tasks, or a commit of the repository around `directory`.
 * @throws Unusable
 */
export async function findTasks(from: string, directory: string): Promise<FoundTasks> {
  const path = resolve(from);
  const stats = await stat(path).catch(() => null);
  const found = stats === null ? [] : stats.isDirectory() ? await tasksIn(path) : await tasksInFile(path, directory);
  if (found.length > 0) return { tasks: distinct(found), isCommit: false };
  const commit = {
    task: from,
    name: slugOf(from, "task"),
    draft: (name: string) => draftFromCommit(directory, from, name),
  };
  if (stats === null) return { tasks: [commit], isCommit: true };
  if (stats.isFile() && ARCHIVE.test(path)) throw new Unusable("is an archive; unpack it, and name its directory");
  throw new Unusable(
    `holds no task of a known form; a task has one of the files ${MARKERS.join(", ")}, or is a row of a .jsonl file`,
  );
}

const ARCHIVE = /\.(zip|7z|rar|tar|tgz|tbz2?|txz|tar\.\w{1,5})$/i;

/** A description stands for its directory; a file of rows for its tasks. @throws Unusable */
async function tasksInFile(path: string, directory: string): Promise<readonly FoundTask[]> {
  const form = FORMS.find(({ marker }) => basename(path) === marker);
  if (form !== undefined) return await form.found(dirname(path), basename(dirname(path)));
  const rows = /\.jsonl?$/.test(path) ? await sweBenchRows(path, directory) : [];
  if (rows.length > MAX_TASKS) throw new Unusable(`holds more than ${MAX_TASKS} tasks; name a part of it`);
  return rows;
}

const MARKERS = FORMS.map(({ marker }) => marker);

/** Tasks of a set that are looked at; a series holds fewer. */
const MAX_TASKS = 10_000;

/** Files and directories that are looked at on the way to them, and how deep. */
const MAX_ENTRIES = 500_000;
const MAX_DEPTH = 8;

interface Place {
  readonly directory: string;
  readonly task: string;
  readonly depth: number;
}

/** The tasks in a directory, itself included, in the order of their paths. Links are not followed. @throws Unusable */
async function tasksIn(top: string): Promise<FoundTask[]> {
  const found: FoundTask[] = [];
  const pending: Place[] = [{ directory: top, task: basename(top), depth: 0 }];
  let entries = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const own = await tasksAt(at.directory, at.task);
    found.push(...own);
    if (found.length > MAX_TASKS) throw new Unusable(`holds more than ${MAX_TASKS} tasks; name a part of it`);
    if (own.length > 0 || at.depth === MAX_DEPTH) continue;
    const { places, looked_at } = await below(at);
    entries += looked_at;
    if (entries > MAX_ENTRIES) throw new Unusable(`holds more than ${MAX_ENTRIES} files; name a part of it`);
    pending.push(...places);
  }
  return found;
}

/** The directories in one, the last first. */
async function below({ directory, task, depth }: Place): Promise<{ places: readonly Place[]; looked_at: number }> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw unusable(error);
  });
  const names = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name)).map(({ name }) => name);
  const places = names.sort().map((name) => ({
    directory: join(directory, name),
    task: depth === 0 ? name : `${task}/${name}`,
    depth: depth + 1,
  }));
  return { places: places.reverse(), looked_at: entries.length };
}

const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** A task whose description cannot be read is found, and refused later. */
async function tasksAt(directory: string, task: string): Promise<readonly FoundTask[]> {
  for (const { marker, found } of FORMS) {
    const stats = await lstat(join(directory, marker)).catch(() => null);
    if (!stats?.isFile()) continue;
    try {
      return await found(directory, task);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      return [{ task, name: nameFrom(basename(directory)), draft: () => Promise.reject(error) }];
    }
  }
  return [];
}

/** Where two have one name, the directory above tells them apart, then a number. */
function distinct(found: readonly FoundTask[]): FoundTask[] {
  const counts = Map.groupBy(found, ({ name }) => name.toLowerCase());
  const proposed = found.map(({ task, name }) => {
    const above = basename(dirname(task));
    const isAlone = counts.get(name.toLowerCase())?.length === 1;
    return isAlone || above === "." ? name : nameFrom(`${above}-${name}`);
  });
  const names = assignIds(proposed.map((name) => ({ given: undefined, proposed: name })));
  return found.map((one, index) => ({ ...one, name: names[index] ?? one.name }));
}

export const imagesForTasks = (images: readonly StoredImage[]): TaskImages => new TaskImages(images);

/** @param directory of one scenario's material; it may be absent @throws Unusable */
export async function writeMaterial(material: readonly Material[], directory: string): Promise<void> {
  try {
    for (const one of material) {
      const path = join(directory, one.path);
      if (!isBelow(directory, path)) throw new Unusable("names a file outside of its own directory");
      await mkdir(dirname(path), { recursive: true });
      if ("text" in one) await writeFile(path, one.text, { flag: "wx" });
      else if ("blobs" in one) await writeBlobs(one.repository, one.blobs, path);
      else {
        await copyFile(one.from, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await chmod(path, one.executable ? 0o755 : 0o644);
      }
    }
  } catch (error) {
    throw unusable(error);
  }
}
