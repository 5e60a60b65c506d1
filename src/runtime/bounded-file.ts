import { constants, type PathLike } from "node:fs";
import { open } from "node:fs/promises";

interface FileLimit {
  /** Bytes that are read. */
  readonly most: number;
  /** Makes what is thrown for a file of more bytes or, without them, for what is no regular file. */
  readonly refuse: (bytes?: number) => Error;
  /** Refuse a link at the end of the path with `ELOOP`. */
  readonly no_link?: boolean;
}

const CHUNK_BYTES = 64 * 1024;

/** The bytes of a regular file. Never waits for a pipe. A file that grows while it is read ends at the limit, too. */
export async function* fileChunks(
  path: PathLike,
  { most, refuse, no_link = false }: FileLimit,
): AsyncGenerator<Uint8Array, void, void> {
  // Opening a pipe for reading would wait for a writer.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (no_link ? constants.O_NOFOLLOW : 0);
  await using file = await open(path, flags);
  const stats = await file.stat();
  if (!stats.isFile()) throw refuse();
  if (stats.size > most) throw refuse(stats.size);
  for (let bytes = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES));
    if (bytesRead === 0) return;
    bytes += bytesRead;
    if (bytes > most) throw refuse(bytes);
    yield buffer.subarray(0, bytesRead);
  }
}
