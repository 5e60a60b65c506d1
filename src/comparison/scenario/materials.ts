import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MATERIAL_BYTES, MATERIAL_FILES } from "../../domain/defaults.ts";
import { treeMatcher } from "../../domain/path-glob.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { FileSet, Files } from "../../domain/task.ts";
import type { LoadedScenario } from "./loaded-scenario.ts";
import { Unusable, unusable } from "./unusable.ts";

/** A directory (absolute, may be absent) and inline files laid over it. */
export interface MaterialSource {
  readonly dir: string | null;
  readonly files: Files;
  /** Globs of what `dir` is read without. */
  readonly exclude?: readonly string[] | undefined;
}

export interface MaterialEntry {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly stats: Stats;
}

/** What is laid over the final workspace before the checks run. */
export const probeSource = (loaded: LoadedScenario): MaterialSource =>
  sourceOf(loaded.directory, loaded.definition.task.probe?.files ?? null);

/** Where a set of files lies. */
export function sourceOf(directory: string, set: (FileSet & Pick<MaterialSource, "exclude">) | null): MaterialSource {
  if (set === null) return { dir: null, files: {} };
  const { dir, files, exclude } = set;
  return { dir: dir === null ? null : resolve(directory, dir), files, ...(exclude && { exclude }) };
}

/**
 * SHA-256 over the sorted paths with their bytes. A link counts by its target's text, a file also by its executable bit.
 * Empty directories do not count. Inline files count as plain files and hide files at the same path.
 * @throws Unusable
 */
export async function digestOf({ dir, files, exclude }: MaterialSource): Promise<string> {
  return digestOfLines(dir === null ? new Map() : await materialLines(dir, exclude), files);
}

/** Kind and SHA-256 by path, of the files and links in a directory. @throws Unusable */
export async function materialLines(
  dir: string,
  exclude?: readonly string[] | undefined,
): Promise<Map<string, string>> {
  const lines = new Map<string, string>();
  for (const entry of await listMaterial(dir, exclude)) lines.set(entry.path, await describe(entry));
  return lines;
}

/** @param lines kind and SHA-256 by path, of files and links; inline files take their place. */
export function digestOfLines(lines: ReadonlyMap<string, string>, files: Files): string {
  const inline = Object.entries(files).map(([path, text]) => [path, `file ${sha256(text)}`] as const);
  const sorted = [...new Map([...lines, ...inline])].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(sorted));
}

/**
 * Every file and link below a directory, without what is excluded. Links are not followed.
 * @throws Unusable when there are too many, when they are too large, or for anything but files, links and directories.
 */
export async function listMaterial(directory: string, exclude: readonly string[] = []): Promise<MaterialEntry[]> {
  const isLeftOut = treeMatcher(exclude);
  const found: MaterialEntry[] = [];
  const pending = [""];
  let bytes = 0;
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of await entriesIn(directory, below, isLeftOut)) {
      if (entry.stats.isDirectory()) {
        pending.push(entry.path);
        continue;
      }
      bytes += checkedSize(entry);
      found.push(entry);
      if (found.length > MATERIAL_FILES) throw new Unusable(`holds more than ${MATERIAL_FILES} files`);
      if (bytes > MATERIAL_BYTES) throw new Unusable(`holds more than ${MATERIAL_BYTES / 1e6} MB`);
    }
  }
  return found;
}

async function entriesIn(
  directory: string,
  below: string,
  isLeftOut: (path: string) => boolean,
): Promise<MaterialEntry[]> {
  try {
    const names = await readdir(join(directory, below));
    const paths = names.map((name) => (below === "" ? name : `${below}/${name}`));
    return await Promise.all(
      paths
        .filter((path) => !isLeftOut(path))
        .map(async (path) => {
          if (path.includes("\uFFFD")) throw new Unusable(`holds a name that is not UTF-8: ${path}`);
          const absolute = join(directory, path);
          return { path, absolute, stats: await lstat(absolute) };
        }),
    );
  } catch (error) {
    throw unusable(error);
  }
}

function checkedSize({ path, stats }: MaterialEntry): number {
  if (stats.isSymbolicLink()) return 0;
  if (!stats.isFile()) throw new Unusable(`holds ${path}, which is no file, link or directory`);
  return stats.size;
}

async function describe({ absolute, stats }: MaterialEntry): Promise<string> {
  try {
    if (stats.isSymbolicLink()) return `link ${sha256(await readlink(absolute))}`;
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(absolute)) hash.update(chunk);
    return `${stats.mode & 0o111 ? "executable" : "file"} ${hash.digest("hex")}`;
  } catch (error) {
    throw unusable(error);
  }
}
