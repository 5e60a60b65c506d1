import { posix } from "node:path";
import { MATERIAL_BYTES, MATERIAL_FILES } from "../../../domain/defaults.ts";
import { treeMatcher } from "../../../domain/path-glob.ts";
import { lines } from "../../../runtime/lines.ts";
import { strictText } from "../../../runtime/strict-text.ts";
import { workspacePathFault } from "../confined-path.ts";
import { ByteReader } from "../packed/byte-reader.ts";
import { Unusable } from "../unusable.ts";
import { startGit } from "./run-git.ts";

export interface TreeFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  readonly id: string;
  readonly bytes: number;
}

interface TreePart {
  /** Globs of what is left out. */
  readonly exclude?: readonly string[] | undefined;
  /** Files and directories that are listed; none: all of it. */
  readonly below?: readonly string[];
}

/**
 * The files and links of a tree at all depths, without what is excluded.
 * @throws Unusable when there are too many or they are too large, for submodules, and for names that no file can have.
 */
export async function listTree(
  git_dir: string,
  tree: string,
  { exclude = [], below = [] }: TreePart = {},
): Promise<TreeFile[]> {
  const isLeftOut = treeMatcher(exclude);
  const files: TreeFile[] = [];
  let bytes = 0;
  await using git = startGit(git_dir, ["ls-tree", "-r", "-z", "-l", "--full-tree", tree, "--", ...below]);
  for await (const record of recordsOf(git.stdout)) {
    if (exclude.length > 0 && isLeftOut(record.slice(record.indexOf("\t") + 1))) continue;
    const file = entryOf(record);
    files.push(file);
    bytes += file.bytes;
    if (files.length > MATERIAL_FILES) throw new Unusable(`holds more than ${MATERIAL_FILES} files`);
    if (file.kind === "link" && file.bytes > MAX_RECORD)
      throw new Unusable(`holds ${file.path}, a link that is too long`);
    if (bytes > MATERIAL_BYTES) throw new Unusable(`holds more than ${MATERIAL_BYTES / 1e6} MB`);
  }
  await git.finish();
  return files;
}

/** One file of a tree; null when there is none at this path, or a directory. @throws Unusable */
export async function fileIn(git_dir: string, tree: string, path: string): Promise<TreeFile | null> {
  await using git = startGit(git_dir, ["ls-tree", "-z", "-l", "--full-tree", tree, "--", path]);
  const [record] = await Array.fromAsync(recordsOf(git.stdout));
  await git.finish();
  return record === undefined || record.startsWith("040000 ") ? null : entryOf(record);
}

/** Bytes of one entry; a path of the operating system has at most 4,096. */
const MAX_RECORD = 8_192;

async function* recordsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const tooLong = () => {
    throw new Unusable("holds a path that is too long");
  };
  for await (const record of lines(stream, MAX_RECORD, tooLong, "NUL")) {
    const text = strictText(record, "with mark");
    if (text === undefined) throw new Unusable("holds a name that is not UTF-8");
    yield text;
  }
}

const KINDS: Readonly<Record<string, TreeFile["kind"]>> = {
  "100644": "file",
  "100664": "file",
  "100755": "executable",
  "120000": "link",
};

/** Git objects can be made by hand, with names that lead out of the tree. */
function entryOf(record: string): TreeFile {
  const [, mode = "", type, id = "", size, path = ""] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(record) ?? [];
  if (type === "commit") throw new Unusable(`holds the submodule ${path}, whose files are not in the repository`);
  const kind = KINDS[mode];
  if (kind === undefined || type !== "blob")
    throw new Unusable(`holds ${path}, which is no file or link (mode ${mode})`);
  const fault = workspacePathFault(path);
  if (fault !== null) throw new Unusable(`holds ${JSON.stringify(path)}: a path ${fault}`);
  if (path.split("/").some((step) => step.toLowerCase() === ".git"))
    throw new Unusable(`holds ${path}: the history of a repository has no place in a workspace`);
  return { path, kind, id, bytes: Number(size) };
}

/** @throws Unusable when a link leads out of the tree. */
export function checkLink(path: string, target: string): void {
  const named = posix.normalize(posix.join(posix.dirname(path), target));
  if (target.startsWith("/") || named === ".." || named.startsWith("../"))
    throw new Unusable(`holds ${path}, a link that leads out of it (to ${target})`);
}

/** A file of a tree with its contents, in pieces. */
interface Blob {
  readonly file: TreeFile;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * The contents of files as they are in the repository, in their order; the pieces of one must be read before the next.
 * @throws Unusable for an object that is missing, for a pointer of Git LFS and for a link that leads out.
 */
export async function* blobsOf(git_dir: string, files: readonly TreeFile[]): AsyncGenerator<Blob> {
  await using git = startGit(git_dir, ["cat-file", "--batch"], files.map(({ id }) => `${id}\n`).join(""));
  const reader = new ByteReader(git.stdout, () => new Unusable(`lacks objects: ${MISSING}`));
  for (const file of files) {
    const header = await reader.line(SMALL);
    if (!header.endsWith(` blob ${file.bytes}`)) throw new Unusable(`lacks the object of ${file.path}: ${MISSING}`);
    yield { file, pieces: isSmall(file) ? checked(file, await reader.take(file.bytes)) : reader.pieces(file.bytes) };
    await reader.take(1);
  }
}

const MISSING = "the clone is shallow or partial, or damaged; fetch what is missing";

/** Bytes up to which a file may be a pointer of Git LFS or the target of a link. */
const SMALL = 4_096;

const isSmall = ({ kind, bytes }: TreeFile) => kind === "link" || bytes <= SMALL;

const LFS = "version https://git-lfs.github.com/spec/";

async function* checked(file: TreeFile, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const text = new TextDecoder().decode(bytes);
  if (text.startsWith(LFS))
    throw new Unusable(`holds ${file.path}, which is a pointer of Git LFS; its contents are not in the repository`);
  if (file.kind === "link") checkLink(file.path, text);
  yield bytes;
}
