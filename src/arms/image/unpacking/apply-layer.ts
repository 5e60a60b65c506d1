import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { Parser, ReadEntry } from "tar";
import { errorCode } from "../../../domain/failure.ts";
import { breathe } from "../../../runtime/pace.ts";
import { ImageFault } from "../image-fault.ts";
import { compressionOf, streamOf } from "../image-files.ts";
import type { Layer } from "../read-image.ts";
import type { ImageTree, OpenFile } from "./image-tree.ts";

/** An archive has headers, names and padding besides the bytes of its files. */
const ARCHIVE_FACTOR = 2;

/** Bytes that tell how the rest is compressed. */
const HEAD_BYTES = 4;

interface LayerLimits {
  /** Of its files. */
  readonly bytes: number;
  /** Asked between chunks; throws what ends the work: there is no more room, or nobody waits for it any more. */
  readonly between: () => void;
}

/**
 * Writes a layer over a tree. What it holds is hostile until its digest was seen at its end: the caller throws away the tree of
 * a layer that fails.
 * @throws ImageFault; what the disk says when it is full
 */
export async function applyLayer(layer: Layer, tree: ImageTree, limits: LayerLimits): Promise<void> {
  const { Parser } = await import("tar");
  const writer = new EntryWriter(tree);
  tree.beginLayer();
  const parser = new Parser({ strict: true, onReadEntry: (entry) => writer.take(entry) });
  parser.on("error", (error) => writer.fail(error));
  try {
    const digest = await written(layer, { parser, writer }, limits);
    if (digest !== layer.diff_id)
      throw new ImageFault(`is damaged: a layer is not what its configuration names (sha256:${layer.diff_id})`);
  } catch (error) {
    if (error instanceof ImageFault || isOfDisk(error)) throw error;
    // Whoever shares the images may remove one at any time.
    if (errorCode(error) === "ENOENT" && !existsSync(layer.file.path))
      throw new ImageFault("was removed before it was unpacked; put it back, and run again", { cause: error });
    throw new ImageFault(`has a broken layer: ${messageOf(error)}`, { cause: error });
  } finally {
    writer.abandon();
  }
}

interface Writing {
  readonly parser: Parser;
  readonly writer: EntryWriter;
}

/** The digest of what was written. @throws whatever is wrong with it */
async function written(layer: Layer, { parser, writer }: Writing, { bytes, between }: LayerLimits): Promise<string> {
  const hash = createHash("sha256");
  const most = bytes * ARCHIVE_FACTOR;
  const ended = new Promise<void>((resolve) => parser.once("end", resolve));
  let read = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of plainStream(layer)) {
    read += chunk.length;
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
    // The parser would decompress it, past every limit.
    if (compressionOf(head) !== "plain") throw new ImageFault("has a layer that is compressed twice");
    if (read > most) throw new ImageFault(`has a layer of more than ${most / 1e9} GB`);
    hash.update(chunk);
    parser.write(chunk);
    await writer.settled();
    await breathe();
    between();
  }
  parser.end();
  await writer.settled();
  await ended;
  await writer.settled();
  return hash.digest("hex");
}

/** Its bytes, decompressed. */
async function* plainStream({ file }: Layer): AsyncGenerator<Buffer> {
  const head = await firstBytes(file);
  const raw = streamOf(file);
  const kind = compressionOf(head);
  if (kind === "plain") return yield* raw as AsyncIterable<Buffer>;
  const plain: Readable = raw.pipe(kind === "gzip" ? createGunzip() : createZstdDecompress());
  raw.on("error", (error) => plain.destroy(error));
  try {
    yield* plain as AsyncIterable<Buffer>;
  } finally {
    raw.destroy();
    plain.destroy();
  }
}

async function firstBytes(file: Layer["file"]): Promise<Uint8Array> {
  for await (const chunk of streamOf({ ...file, size: Math.min(file.size, HEAD_BYTES) })) return chunk as Buffer; // no encoding is set
  return new Uint8Array();
}

/** Hands each entry of an archive to a tree. The parser gives the next one when this one was taken. */
class EntryWriter {
  readonly #tree: ImageTree;
  #writing: Promise<void> | undefined;
  #open: OpenFile | undefined;
  #fault: { readonly error: unknown } | undefined;

  constructor(tree: ImageTree) {
    this.#tree = tree;
  }

  /** Keeps the first fault: whoever emits an entry would swallow what is thrown. */
  fail(error: unknown): void {
    this.#fault ??= { error };
  }

  /** Ends when every entry was taken that the parser has given. @throws the first fault */
  async settled(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#writing; ) {
      seen = this.#writing;
      await seen;
    }
    if (this.#fault) throw this.#fault.error;
  }

  take(entry: ReadEntry): void {
    this.#writing = this.#taken(entry);
  }

  /** What follows a fault is passed over. */
  async #taken(entry: ReadEntry): Promise<void> {
    try {
      if (!this.#fault) await this.#write(entry);
    } catch (error) {
      this.fail(error);
    }
    if (this.#fault) entry.resume();
  }

  abandon(): void {
    this.#open?.close();
    this.#open = undefined;
  }

  async #write(entry: ReadEntry): Promise<void> {
    const { path, type, mode = 0o644, mtime: modified, linkpath = "" } = entry;
    await this.#tree.turn(path);
    if (await this.#tree.whiteout(path)) {
      entry.resume();
      return;
    }
    switch (type) {
      case "File":
      case "OldFile":
      case "ContiguousFile":
        this.#writeFile(entry, { mode, modified });
        return;
      case "Directory":
        this.#tree.directory(path, { mode, modified });
        break;
      case "SymbolicLink":
        this.#tree.symbolicLink(path, linkpath);
        break;
      case "Link":
        this.#tree.hardLink(path, linkpath);
        break;
      case "CharacterDevice":
      case "BlockDevice":
      case "FIFO":
        // There are no devices in a sandbox but its own.
        break;
      default:
        throw new ImageFault(`holds an entry of the kind ${type}, which is not understood`);
    }
    entry.resume();
  }

  #writeFile(entry: ReadEntry, attributes: { readonly mode: number; readonly modified: Date | undefined }): void {
    const file = this.#tree.file(entry.path, entry.size, attributes);
    this.#open = file;
    entry.on("data", (chunk) => this.#trying(() => file.write(chunk)));
    entry.on("end", () => {
      this.#open = undefined;
      this.#trying(() => file.close());
    });
  }

  #trying(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }
}

const isOfDisk = (error: unknown) => errorCode(error) === "ENOSPC";

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 200);
