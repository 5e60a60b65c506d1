import { ByteReader } from "../packed/byte-reader.ts";
import { Unusable } from "../unusable.ts";
import { startGit } from "./run-git.ts";
import { checkLink, type TreeFile } from "./tree.ts";

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
