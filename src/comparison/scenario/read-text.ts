import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { sha256 } from "../../domain/sha256.ts";
import { Unusable, unusable } from "./unusable.ts";

/**
 * The text of a regular file, strict UTF-8, a byte order mark removed. Never waits for a pipe.
 * @throws Unusable when it is absent, no regular file, larger than `maxBytes`, or not UTF-8.
 */
export async function readText(path: string, maxBytes: number): Promise<string> {
  return (await readDigested(path, maxBytes)).text;
}

/** As `readText`, with the SHA-256 of the file's bytes. */
export async function readDigested(path: string, maxBytes: number) {
  const bytes = await readBytes(path, maxBytes).catch((error: unknown) => Promise.reject(unusable(error)));
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), digest: sha256(bytes) };
  } catch (error) {
    throw new Unusable("is not UTF-8 text", { cause: error });
  }
}

async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  // Opening a pipe for reading would wait for a writer.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) throw new Unusable("is not a regular file");
  if (stats.size > maxBytes) throw new Unusable(`has ${kilobytes(stats.size)}, more than ${kilobytes(maxBytes)}`);
  return await file.readFile();
}

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KiB`;
