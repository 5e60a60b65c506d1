import { createReadStream, type ReadStream, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Header, Pax } from "tar";
import { errorCode } from "../../domain/failure.ts";
import { shortage } from "../../domain/shortage.ts";
import { Pace } from "../../runtime/pace.ts";
import { ImageFault } from "./image-fault.ts";

/** A file of an image: where its bytes stand on disk. */
export interface ImageBlob {
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

/** The files of an image by their names in it; of a directory they are looked up, of an archive they are known. */
export type FindFile = (name: string) => Promise<ImageBlob | undefined>;

/** Opens a directory or a tar archive. Layers are not read. @throws ImageFault */
export async function openImageFiles(path: string): Promise<FindFile> {
  const stats = await lookAt(path);
  if (stats.isDirectory()) return (name) => inDirectory(path, name);
  if (!stats.isFile()) throw new ImageFault("is no file and no directory");
  const index = await indexOf(path, stats.size);
  return async (name) => {
    const found = index.get(name);
    return typeof found === "string" ? asFile(index.get(found)) : found;
  };
}

const asFile = (found: ImageBlob | string | undefined) => (typeof found === "string" ? undefined : found);

/** Chunks of 64 KiB, so that what is made of each takes only some milliseconds. */
export const streamOf = ({ path, start, size }: ImageBlob): ReadStream =>
  size === 0
    ? createReadStream("/dev/null")
    : createReadStream(path, { start, end: start + size - 1, highWaterMark: CHUNK_BYTES });

const CHUNK_BYTES = 64 * 1024;

async function lookAt(path: string): Promise<Stats> {
  try {
    return await lstat(path);
  } catch (error) {
    throw (
      shortage(error) ??
      new ImageFault(errorCode(error) === "ENOENT" ? "does not exist" : `cannot be read (${errorCode(error)})`)
    );
  }
}

/** Never through a link: what is named may have been made by anybody. */
async function inDirectory(directory: string, name: string): Promise<ImageBlob | undefined> {
  const steps = name.split("/");
  for (const count of steps.keys()) {
    const path = join(directory, ...steps.slice(0, count + 1));
    const stats = await lstat(path).catch(() => undefined);
    if (count < steps.length - 1 ? !stats?.isDirectory() : !stats?.isFile()) return undefined;
    if (count === steps.length - 1 && stats) return { path, start: 0, size: stats.size };
  }
  return undefined;
}

/** Files that an archive of an image may have. Each layer is three at most. */
const MOST_FILES = 5_000;

const BLOCK = 512;

/** Bytes of a header that names the next file, where the usual one has no room. */
const LONG_NAME_BYTES = 64 * 1024;

/** Where each file of an archive begins, or which other one a link stands for. @throws ImageFault */
async function indexOf(path: string, size: number): Promise<ReadonlyMap<string, ImageBlob | string>> {
  const index = new Map<string, ImageBlob | string>();
  const pace = new Pace();
  for await (const { header, start, length } of membersOf(path, size)) {
    await pace.entry();
    if (index.size === MOST_FILES) throw new ImageFault(`is an archive of more than ${MOST_FILES} files`);
    const { type, path: written = "", linkpath = "" } = header;
    const name = posix.normalize(written);
    if (type === "File" || type === "OldFile") index.set(name, { path, start, size: length });
    else if (type === "SymbolicLink" || type === "Link") index.set(name, linked(name, type, linkpath));
  }
  return index;
}

interface Member {
  readonly header: Header;
  readonly start: number;
  readonly length: number;
}

/** Reads headers and skips contents. @throws ImageFault */
async function* membersOf(path: string, size: number): AsyncGenerator<Member> {
  const tar = await import("tar");
  await using handle = await open(path, "r");
  let extended: Pax | undefined;
  for (let at = 0; at + BLOCK <= size; ) {
    const block = await readAt(handle, at, BLOCK);
    const header = headerIn(tar, block, extended);
    if (header?.nullBlock) return;
    if (!header?.cksumValid) throw new ImageFault(at === 0 ? NO_ARCHIVE[compressionOf(block)] : "is a broken archive");
    const member = { header, start: at + BLOCK, length: lengthOf(header, size - at - BLOCK) };
    at = member.start + Math.ceil(member.length / BLOCK) * BLOCK;
    extended = await longer(tar, handle, member);
    if (!extended) yield member;
  }
}

/** @param rest bytes that are left */
function lengthOf({ size = 0 }: Header, rest: number): number {
  if (!Number.isSafeInteger(size) || size < 0 || size > rest) throw new ImageFault(CUT_OFF);
  return size;
}

const CUT_OFF = "is an archive that ends too early";

type Tar = typeof import("tar");

/** Undefined for bytes that are no number where one belongs. */
function headerIn({ Header }: Tar, block: Buffer, extended: Pax | undefined): Header | undefined {
  try {
    return new Header(block, 0, extended);
  } catch {
    return undefined;
  }
}

/** What says more of the member after it than that one's own header has room for; undefined for every other member. */
async function longer({ Pax }: Tar, handle: FileHandle, { header, start, length }: Member): Promise<Pax | undefined> {
  const { type } = header;
  if (type !== "ExtendedHeader" && type !== "NextFileHasLongPath") return undefined;
  if (length > LONG_NAME_BYTES) throw new ImageFault("is an archive with a name that is too long");
  const text = (await readAt(handle, start, length)).toString();
  return type === "ExtendedHeader" ? Pax.parse(text) : new Pax({ path: text.split("\0", 1)[0] ?? "" });
}

/** Old archives keep a layer once, and link to it. */
const linked = (name: string, type: "SymbolicLink" | "Link", target: string) =>
  posix.normalize(type === "Link" ? target : posix.join(posix.dirname(name), target));

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  if (bytesRead < length) throw new ImageFault(CUT_OFF);
  return buffer;
}

/** How bytes begin that were compressed. */
export function compressionOf(bytes: Uint8Array): "gzip" | "zstd" | "plain" {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "gzip";
  return bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd ? "zstd" : "plain";
}

const NO_ARCHIVE = {
  gzip: "is compressed as a whole; unpack it with `gunzip` first",
  zstd: "is compressed as a whole; unpack it with `unzstd` first",
  plain: "is no tar archive",
};
