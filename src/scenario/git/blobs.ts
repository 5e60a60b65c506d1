import { Unusable } from "../unusable.ts";
import { startGit } from "./run-git.ts";
import { checkLink, type TreeFile } from "./tree.ts";

/** A file of a tree with its contents, in pieces. */
export interface Blob {
  readonly file: TreeFile;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * The contents of files as they are in the repository, in their order; the pieces of one must be read before the next.
 * @throws Unusable for an object that is missing, for a pointer of Git LFS and for a link that leads out.
 */
export async function* blobsOf(git_dir: string, files: readonly TreeFile[]): AsyncGenerator<Blob> {
  await using git = startGit(git_dir, ["cat-file", "--batch"], files.map(({ id }) => `${id}\n`).join(""));
  const reader = new Reader(git.stdout);
  for (const file of files) {
    const header = await reader.line();
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

/** Takes lines and counted bytes from a stream. */
class Reader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** A header is short; a stream without a line end stops here. */
  async line(): Promise<string> {
    for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
      if (end !== -1) return new TextDecoder().decode(this.#cut(end + 1).subarray(0, end));
      if (this.#rest.length > SMALL) throw new Unusable(`lacks objects: ${MISSING}`);
      await this.#more();
    }
  }

  async take(bytes: number): Promise<Uint8Array> {
    while (this.#rest.length < bytes) await this.#more();
    return this.#cut(bytes);
  }

  async *pieces(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0) await this.#more();
      const piece = this.#cut(Math.min(left, this.#rest.length));
      left -= piece.length;
      yield piece;
    }
  }

  #cut(bytes: number): Uint8Array {
    const piece = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return piece;
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new Unusable(`lacks objects: ${MISSING}`);
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }
}
