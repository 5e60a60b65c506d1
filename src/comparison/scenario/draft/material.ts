import { asRecord, type LooseRecord } from "../../../domain/lenient.ts";
import { readBoundedJson } from "../../../runtime/bounded-json.ts";
import { Problems } from "../authored/problems.ts";
import { confinedPath, workspacePathFault } from "../confined-path.ts";
import { readYaml } from "../document/yaml-document.ts";
import type { TreeFile } from "../git/tree.ts";
import { listMaterial, type MaterialEntry } from "../materials.ts";
import { readText } from "../read-text.ts";
import type { Repository } from "../repository.ts";
import { Unusable, unusable } from "../unusable.ts";

/** Files that a scenario brings, by their path below the directory of its name. */
export type Material =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly from: string; readonly executable: boolean }
  | { readonly path: string; readonly blobs: readonly TreeFile[]; readonly repository: Repository };

/** A file of a task's directory. */
export type SourceFile = Pick<MaterialEntry, "path" | "absolute" | "stats">;

/**
 * The files of a task's directory, sorted by path.
 * @throws Unusable for links, for names that a scenario cannot carry, and beyond the limits of material
 */
export async function taskFiles(directory: string): Promise<readonly SourceFile[]> {
  const found = (await listMaterial(directory)).filter(({ path }) => !GENERATED.test(path));
  for (const { path, stats } of found) {
    const shown = JSON.stringify(path.slice(0, NAME_SHOWN));
    if (stats.isSymbolicLink()) throw new Unusable(`holds the link ${shown}; links are not taken over`);
    if (workspacePathFault(path) !== null || /[\p{Cc}"]/u.test(path))
      throw new Unusable(`holds ${shown}, a name that a scenario cannot carry`);
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What tools leave in a working copy. */
const GENERATED = /(^|\/)(\.git|node_modules|__pycache__|\.DS_Store)(\/|$)/;

/** Characters of a file's name in a message. */
const NAME_SHOWN = 100;

/** Files as material below `below`. */
export const copied = (files: readonly SourceFile[], below: string, rename = (path: string) => path): Material[] =>
  files.map(({ path, absolute, stats }) => ({
    path: `${below}/${rename(path)}`,
    from: absolute,
    executable: (stats.mode & 0o111) !== 0,
  }));

/** Bytes of a file that describes a task, and of a text that is looked through. */
const DESCRIPTION_BYTES = 256 * 1024;

/** The text of a file of a task; never through a link that leads out of it. @throws Unusable */
export const textOf = async (directory: string, path: string): Promise<string> => {
  try {
    return await readText(await confinedPath(directory, path, "file"), DESCRIPTION_BYTES);
  } catch (error) {
    throw new Unusable(`${path} ${unusable(error).message}`, { cause: error });
  }
};

/** Undefined when there is no such file. @throws Unusable */
export async function textIfThere(
  directory: string,
  files: readonly SourceFile[],
  path: string,
): Promise<string | undefined> {
  return files.some((file) => file.path === path) ? await textOf(directory, path) : undefined;
}

/** Values of a JSON file that describes a task. */
const JSON_VALUES = 20_000;

/** @throws Unusable for what is no JSON object, or too much of it */
export async function jsonOf(directory: string, path: string): Promise<LooseRecord> {
  const bytes = Buffer.from(await textOf(directory, path));
  const read = readBoundedJson(bytes, { bytes: DESCRIPTION_BYTES, values: JSON_VALUES, levels: 20 });
  if ("fault" in read) throw new Unusable(`${path} has ${read.fault}`);
  return asRecord(read.value) ?? mapExpected(path);
}

/** @throws Unusable for what is no map, has aliases or tags, or is too much */
export async function yamlOf(directory: string, path: string): Promise<LooseRecord> {
  const problems = new Problems();
  const { value, position } = await readYaml(await textOf(directory, path), problems);
  const [problem] = problems.found;
  if (problem) {
    const { line, column } = position(problem);
    throw new Unusable(`${path}:${line}:${column}: ${problem.message}`);
  }
  return asRecord(value) ?? mapExpected(path);
}

/** @throws Unusable */
export async function tomlOf(directory: string, path: string): Promise<LooseRecord> {
  const text = await textOf(directory, path);
  const { parse, TomlError } = await import("smol-toml");
  try {
    return asRecord(parse(text, { maxDepth: TOML_LEVELS })) ?? mapExpected(path);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new Unusable(`${path}:${error.line}:${error.column}: is not valid TOML`, { cause: error });
  }
}

/** Nesting of a TOML file that describes a task. */
const TOML_LEVELS = 20;

function mapExpected(path: string): never {
  throw new Unusable(`${path} holds no map`);
}
