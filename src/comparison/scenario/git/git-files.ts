import { createHash } from "node:crypto";
import { mkdir, open, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { SCENARIO_FILE_BYTES } from "../../../domain/defaults.ts";
import { sha256 } from "../../../domain/sha256.ts";
import type { Files } from "../../../domain/task.ts";
import { strictText } from "../../../runtime/strict-text.ts";
import { digestOfLines } from "../materials.ts";
import { objectAt, type Repository } from "../repository.ts";
import { Unusable, unusable } from "../unusable.ts";
import { blobsOf, fileIn, listTree, type TreeFile } from "./tree.ts";

/** Digests that are kept: one is needed for each scenario with a git fixture. */
const KEPT = 1_000;

/** Keeps the digests of trees, since a git object never changes. Each reader of scenarios has its own. */
export class GitFiles {
  readonly #digests = new Map<string, string>();

  /**
   * The digest of a tree without what is excluded, and with inline files laid over it. A directory with the same files has the same digest.
   * @throws Unusable
   */
  async digest(
    { git_dir }: Repository,
    tree: string,
    files: Files,
    exclude?: readonly string[] | undefined,
  ): Promise<string> {
    const key = `${git_dir}\0${tree}\0${sha256(canonicalJson([files, exclude ?? []]))}`;
    const known = this.#digests.get(key);
    if (known !== undefined) return known;
    const digest = digestOfLines(await linesOf(git_dir, tree, exclude), files);
    this.#digests.set(key, digest);
    const [oldest] = this.#digests.keys();
    if (this.#digests.size > KEPT && oldest !== undefined) this.#digests.delete(oldest);
    return digest;
  }
}

async function linesOf(
  git_dir: string,
  tree: string,
  exclude: readonly string[] | undefined,
): Promise<Map<string, string>> {
  const lines = new Map<string, string>();
  for await (const { file, pieces } of blobsOf(git_dir, await listTree(git_dir, tree, { exclude }))) {
    const hash = createHash("sha256");
    for await (const piece of pieces) hash.update(piece);
    lines.set(file.path, `${file.kind} ${hash.digest("hex")}`);
  }
  return lines;
}

/**
 * Writes files below a directory. Links come last, so that no path leads through one.
 * @throws Unusable
 */
export async function writeBlobs(
  { git_dir }: Repository,
  files: readonly TreeFile[],
  directory: string,
): Promise<void> {
  const isLink = ({ kind }: TreeFile) => kind === "link";
  const ordered = [...files.filter((file) => !isLink(file)), ...files.filter(isLink)];
  try {
    for (const below of new Set(files.map(({ path }) => dirname(path))))
      await mkdir(join(directory, below), { recursive: true });
    for await (const { file, pieces } of blobsOf(git_dir, ordered)) {
      const path = join(directory, file.path);
      if (isLink(file)) await symlink(Buffer.concat(await Array.fromAsync(pieces)), path);
      else await writePieces(path, file.kind === "executable" ? 0o755 : 0o644, pieces);
    }
  } catch (error) {
    throw unusable(error);
  }
}

async function writePieces(path: string, mode: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(path, "wx", mode);
  for await (const piece of pieces) await file.writeFile(piece);
}

/** The text of a file at a ref, not through a link. @throws Unusable */
export async function textAtRef(repository: Repository, ref: string, path: string): Promise<string> {
  const tree = await objectAt(repository, ref, undefined);
  await objectAt(repository, ref, path);
  const text = await textInTree(repository, tree.id, path, SCENARIO_FILE_BYTES);
  if (text === null) throw new Unusable(`has ${path}, which is no file`);
  return text;
}

/** The text of a file in a tree; null when there is no such file. @throws Unusable */
export async function textInTree(
  repository: Repository,
  tree: string,
  path: string,
  maxBytes: number,
): Promise<string | null> {
  const file = await fileIn(repository.git_dir, tree, path);
  return file === null || file.kind === "link" ? null : await textOfBlob(repository, file, maxBytes);
}

/** @throws Unusable when it is larger than `maxBytes`, or no text. */
export async function textOfBlob({ git_dir }: Repository, file: TreeFile, maxBytes: number): Promise<string> {
  const { path, bytes } = file;
  if (bytes > maxBytes) throw new Unusable(`has ${path}, which is larger than ${Math.ceil(maxBytes / 1024)} KiB`);
  const pieces: Uint8Array[] = [];
  for await (const blob of blobsOf(git_dir, [file])) pieces.push(...(await Array.fromAsync(blob.pieces)));
  const text = strictText(Buffer.concat(pieces));
  if (text === undefined) throw new Unusable(`has ${path}, which is not UTF-8 text`);
  return text;
}
