import { chmodSync, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../domain/failure.ts";
import { strictText } from "../../../runtime/strict-text.ts";

/** Opens a regular file for reading: never through a link at its end, never waiting for a pipe. */
function openRegular(path: string): { readonly descriptor: number; readonly size: number } | undefined {
  const descriptor = openQuietly(path);
  if (descriptor === undefined) return undefined;
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return { descriptor, size: stats.size };
  closeSync(descriptor);
  return undefined;
}

const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openQuietly(path: string): number | undefined {
  try {
    return openSync(path, READ_ONLY);
  } catch (error) {
    const code = errorCode(error);
    // ELOOP: a link. ENXIO: a socket.
    if (code === "ELOOP" || code === "ENXIO" || code === "ENOENT") return undefined;
    if (code !== "EACCES") throw error;
    chmodSync(path, 0o600);
    return openSync(path, READ_ONLY);
  }
}

/** The bytes of a regular file, at most `limit`; undefined when it is none. */
export function readRegular(root: string, path: string, limit: number): Uint8Array | undefined {
  const opened = openRegular(join(root, path));
  if (!opened) return undefined;
  try {
    return readUpTo(opened.descriptor, Math.min(opened.size, limit));
  } finally {
    closeSync(opened.descriptor);
  }
}

function readUpTo(descriptor: number, length: number): Uint8Array {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Strict UTF-8 without NUL is text; undefined for anything else. A byte order mark stays. */
export function decodedText(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : strictText(bytes, "with mark");
}

const CHUNK_BYTES = 1024 * 1024;

/** The chunks of a regular file, one at a time in memory; none when it is no regular file. */
export function* chunksOf(root: string, path: string): Generator<Uint8Array> {
  const opened = openRegular(join(root, path));
  if (!opened) return;
  const buffer = new Uint8Array(CHUNK_BYTES);
  try {
    for (let position = 0; ; ) {
      const count = readSync(opened.descriptor, buffer, 0, CHUNK_BYTES, position);
      if (count === 0) return;
      yield buffer.subarray(0, count);
      position += count;
    }
  } finally {
    closeSync(opened.descriptor);
  }
}
