import { sha256 } from "../../domain/sha256.ts";
import { fileChunks } from "../../runtime/bounded-file.ts";
import { strictText } from "../../runtime/strict-text.ts";
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
  const text = strictText(bytes);
  if (text === undefined) throw new Unusable("is not UTF-8 text");
  return { text, digest: sha256(bytes) };
}

async function readBytes(path: string, most: number): Promise<Buffer> {
  const refuse = (bytes?: number) =>
    new Unusable(
      bytes === undefined ? "is not a regular file" : `has ${kilobytes(bytes)}, more than ${kilobytes(most)}`,
    );
  return Buffer.concat(await Array.fromAsync(fileChunks(path, { most, refuse })));
}

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KiB`;
