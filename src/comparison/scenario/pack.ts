import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readlink, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { MATERIAL_BYTES, MATERIAL_FILES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { treeMatcher } from "../../domain/path-glob.ts";
import type { NamedFile } from "../../domain/ran.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { FileSet } from "../../domain/task.ts";
import { workspacePathFault } from "./confined-path.ts";
import { blobsOf, listTree } from "./git/tree.ts";
import type { LoadedScenario } from "./loaded-scenario.ts";
import { digestOfLines, listMaterial, type MaterialEntry, type MaterialSource } from "./materials.ts";
import { repositoryAround } from "./repository.ts";
import { Unusable, unusable } from "./unusable.ts";

interface Source extends PackedFile {
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Directories and git trees that a scenario refers to, as one stream of bytes: the same for the same files. It ends only when they
 * are what the definition says; `materialsDigest` names it.
 * @throws Failure `workspace_failed` when they cannot be read, are too large together, or have changed
 */
export async function* packMaterials(loaded: LoadedScenario): AsyncGenerator<Uint8Array> {
  try {
    yield* packed(loaded);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("workspace_failed", `${loaded.file}: what it refers to ${unusable(error).message}`, {
      cause: error,
    });
  }
}

async function* packed(loaded: LoadedScenario): AsyncGenerator<Uint8Array> {
  const sets = placedSets(loaded.definition);
  const lines = new Map<string, string>();
  let bytes = 0;
  for await (const source of sourcesOf(loaded, sets)) {
    bytes += source.bytes;
    if (lines.size === MATERIAL_FILES) throw new Unusable(`holds more than ${MATERIAL_FILES} files together`);
    if (bytes > MATERIAL_BYTES) throw new Unusable(`holds more than ${MATERIAL_BYTES / 1e6} MB together`);
    yield packedHeader(source);
    const hash = createHash("sha256");
    yield* counted(source, hash);
    lines.set(source.path, `${source.kind} ${hash.digest("hex")}`);
  }
  for (const { place, set } of sets) if (digestBelow(place, set, lines) !== set.digest) throw new Unusable(CHANGED);
  for (const { place, digest } of placedFiles(loaded.definition))
    if (lines.get(place)?.split(" ")[1] !== digest) throw new Unusable(CHANGED);
  yield packedHeader(null);
}

const CHANGED = "has changed since the scenario was read; start again";

async function* counted(
  { bytes, pieces }: Source,
  hash: { update(piece: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const piece of pieces) {
    left -= piece.length;
    if (left < 0) break;
    hash.update(piece);
    yield piece;
  }
  if (left !== 0) throw new Unusable(CHANGED);
}

function digestBelow(place: string, set: PlacedSet["set"], lines: ReadonlyMap<string, string>): string {
  const isLeftOut = treeMatcher(set.exclude ?? []);
  const below = [...lines]
    .filter(([path]) => path.startsWith(`${place}/`))
    .map(([path, line]) => [path.slice(place.length + 1), line] as const);
  return digestOfLines(new Map(below.filter(([path]) => !isLeftOut(path))), set.files);
}

async function* sourcesOf(
  { directory, definition }: LoadedScenario,
  sets: readonly PlacedSet[],
): AsyncGenerator<Source> {
  const entries = new Map<string, MaterialEntry>();
  for (const { place, set } of sets)
    if (set.dir !== null)
      for (const entry of await listMaterial(resolve(directory, set.dir), set.exclude))
        entries.set(`${place}/${entry.path}`, entry);
  for (const { place, file } of placedFiles(definition)) {
    const absolute = resolve(directory, file);
    entries.set(place, { path: file, absolute, stats: await stat(absolute) });
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, entry] of sorted) yield await sourceOfEntry(path, entry);
  for (const [place, { tree, exclude }] of [...treesOf(sets)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { git_dir } = repositoryAround(directory);
    for await (const { file, pieces } of blobsOf(git_dir, await listTree(git_dir, tree, { exclude })))
      yield { path: `${place}/${file.path}`, kind: file.kind, bytes: file.bytes, pieces };
  }
}

/** Each tree once. Where the fixture is a part of it and another set needs all of it, the archive holds all of it. */
const treesOf = (sets: readonly PlacedSet[]) =>
  new Map(
    sets
      .toSorted((a, b) => Number(b.set.exclude !== undefined) - Number(a.set.exclude !== undefined))
      .flatMap(({ place, set: { git, exclude } }) =>
        git === undefined ? [] : [[place, { ...git, exclude }] as const],
      ),
  );

async function sourceOfEntry(path: string, { absolute, stats }: MaterialEntry): Promise<Source> {
  if (!stats.isSymbolicLink()) {
    const kind = stats.mode & 0o111 ? "executable" : "file";
    return { path, kind, bytes: stats.size, pieces: contents(absolute) };
  }
  const target = Buffer.from(await readlink(absolute));
  return { path, kind: "link", bytes: target.length, pieces: once(target) };
}

/** Opens the file only when it is read. */
async function* contents(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Files of a scenario that do not stand in its definition. */
interface PlacedSet {
  /** Relative, in the archive as where it is unpacked: `files/<dir>` or `trees/<id>`. */
  readonly place: string;
  readonly set: FileSet & Pick<MaterialSource, "exclude">;
}

/** Below them lie directories as the definition names them, and git trees by their ids. */
export const FILES = "files";
export const TREES = "trees";

/** @throws Failure `workspace_failed` for a directory that no definition of ours names */
export function placedSets({ task, arms }: Scenario): readonly PlacedSet[] {
  const beside = Object.values(task.fixture?.also ?? {}).flatMap((what) => ("private" in what ? [] : what));
  const sets = [
    task.fixture,
    ...beside,
    task.probe?.files,
    ...arms.flatMap(({ agent, files, ran }) => [agent?.files, files, ran?.files]),
  ];
  return sets.flatMap((set) => {
    const place = set && placeOf(set);
    if (!place) return [];
    const fault = workspacePathFault(place);
    if (fault !== null) throw new Failure("workspace_failed", `the scenario names ${place}: a path ${fault}`);
    return [{ place, set }];
  });
}

/** Single files, in the archive as where it is unpacked. @throws as `placedSets` */
export function placedFiles({ arms }: Scenario): readonly (NamedFile & { readonly place: string })[] {
  const named = arms.flatMap(({ ran }) => [ran?.log ?? [], ran?.patch ?? [], ran?.answer ?? []].flat());
  return named.flatMap((one) => {
    if (typeof one === "string") return [];
    const fault = workspacePathFault(one.file);
    if (fault !== null) throw new Failure("workspace_failed", `the scenario names ${one.file}: a path ${fault}`);
    return { ...one, place: `${FILES}/${one.file}` };
  });
}

/** Whether it refers to files, so that its definition alone cannot be run. */
export const hasMaterials = (definition: Scenario): boolean =>
  placedSets(definition).length + placedFiles(definition).length > 0 || definition.task.image !== undefined;

function placeOf({ dir, git }: FileSet): string | null {
  if (git !== undefined) return `${TREES}/${git.tree}`;
  return dir === null ? null : `${FILES}/${dir}`;
}

/** Names what `packMaterials` gives; known without reading a file. @throws as `placedSets` */
export function materialsDigest(definition: Scenario): string {
  const sets = placedSets(definition).map(({ place, set }) => `${place} ${set.digest}`);
  const files = placedFiles(definition).map(({ place, digest }) => `${place} ${digest}`);
  return sha256(canonicalJson(["materials/1", [...new Set([...sets, ...files])].sort()]));
}

/** What stands before the bytes of a file: one line of JSON. */
export interface PackedFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  /** The file's size; for a link, the length of its target. */
  readonly bytes: number;
}

/** A path of the operating system has at most 4,096 bytes; JSON may take six for one. */
export const HEADER_BYTES = 32 * 1024;

/** Null: the end, so that a stream that was cut can be told from a whole one. */
export const packedHeader = (file: PackedFile | null): Uint8Array =>
  Buffer.from(`${JSON.stringify(file && { path: file.path, kind: file.kind, bytes: file.bytes })}\n`);

/** @throws Unusable */
export function parseHeader(line: string): PackedFile | null {
  const value = jsonOf(line);
  if (value === null) return null;
  if (isPackedFile(value)) return value;
  throw new Unusable("is damaged");
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Unusable("is damaged", { cause: error });
  }
}

const KINDS: readonly unknown[] = ["file", "executable", "link"] satisfies PackedFile["kind"][];

const isPackedFile = (value: unknown): value is PackedFile =>
  typeof value === "object" &&
  value !== null &&
  "path" in value &&
  typeof value.path === "string" &&
  "kind" in value &&
  KINDS.includes(value.kind) &&
  "bytes" in value &&
  Number.isSafeInteger(value.bytes) &&
  Number(value.bytes) >= 0;
