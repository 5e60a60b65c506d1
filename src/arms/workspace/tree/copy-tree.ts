import {
  chmodSync,
  chownSync,
  constants,
  lchownSync,
  linkSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";
import { errorCode, Failure } from "../../../domain/failure.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { Owner } from "../../sandbox/sandbox.ts";
import { isOutOfReach, TreeTooLarge, workspaceFailed } from "../io-failure.ts";
import { CopyRoom } from "./copy-room.ts";
import { entryAt, sortedByPath, type TreeEntry, walk } from "./walk.ts";

interface CopyOptions {
  readonly from: string;
  /** Must not exist. */
  readonly to: string;
  readonly owner: Owner | null;
  /**
   * `author`: a fixture; a FIFO or a link that leads out is a Failure that names it.
   * `arm`: anything may lie there; what is no file, directory or link, or cannot be copied, is left out.
   */
  readonly made_by: "author" | "arm";
  /** What `from` holds, when that is known; it is walked otherwise. */
  readonly entries?: readonly TreeEntry[];
  /** Once it is true, what an arm made is more than can be copied. */
  readonly isLate?: () => boolean;
}

/** Files copied at once: a little more than the runtime has threads for. */
const LANES = 8;

/**
 * A copy with the same bytes, holes as holes, links as links, without set-uid bits. Gives the entries of the copy.
 * @throws Failure `workspace_failed`; TreeTooLarge when what an arm made is more than can be copied.
 */
export async function copyTree(options: CopyOptions): Promise<readonly TreeEntry[]> {
  try {
    mkdirSync(options.to, { mode: 0o700 });
    own(options.to, options.owner);
    return await copyEntries({ ...options, entries: options.entries ?? (await walk(options.from)) });
  } catch (error) {
    if (error instanceof TreeTooLarge) throw error;
    throw workspaceFailed("cannot copy the files of a workspace", error);
  }
}

/** As `copyTree`, into a directory that exists and holds none of the entries. */
export async function copyEntries(
  options: CopyOptions & Required<Pick<CopyOptions, "entries">>,
): Promise<readonly TreeEntry[]> {
  const { made_by, to } = options;
  const { directories, files, others, twins, originals } = await sorted(options.entries, made_by);
  const room = made_by === "arm" ? new CopyRoom(to, [...files, ...others]) : undefined;
  const copied: TreeEntry[] = [];
  const pace = new Pace();
  let stopped = false;
  const copyAll = async (entries: Iterable<TreeEntry>) => {
    for (const entry of entries) {
      if (stopped) return;
      refuseLate(options);
      room?.take(entry);
      if (await copyIfPossible(entry, options)) copied.push(entryAt(to, entry.path));
      await pace.entry();
    }
  };
  await copyAll(directories);
  await copyAll(others);
  // All lanes take from one iterator, and the first fault stops them all: the caller removes what is there.
  const rest = files.values();
  const lane = () =>
    copyAll(rest).catch((error: unknown) => {
      stopped = true;
      throw error;
    });
  const ends = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const end of ends) if (end.status === "rejected") throw room?.faultOf(end.reason) ?? end.reason;
  for (const entry of twins) {
    await pace.entry();
    refuseLate(options);
    if (await linkOrCopy(entry, originals, options, room)) copied.push(entryAt(to, entry.path));
  }
  return copied;
}

function refuseLate({ isLate }: CopyOptions): void {
  if (isLate?.()) throw new TreeTooLarge("The files of the workspace could not be copied in time.");
}

interface Sorted {
  readonly directories: readonly TreeEntry[];
  readonly files: readonly TreeEntry[];
  readonly others: readonly TreeEntry[];
  /** Further names of a file among `files`. */
  readonly twins: readonly TreeEntry[];
  /** The name of a file that its twins are linked to, by inode. */
  readonly originals: Map<bigint, string>;
}

/** Directories stand before what they hold. Hard links are no part of a fixture; an arm may make thousands. */
async function sorted(entries: readonly TreeEntry[], made_by: CopyOptions["made_by"]): Promise<Sorted> {
  const {
    directory = [],
    file = [],
    others = [],
  } = Object.groupBy(await sortedByPath(entries), ({ kind }) =>
    kind === "directory" || kind === "file" ? kind : "others",
  );
  const originals = new Map<bigint, string>();
  const isOriginal = ({ links, identity, path }: TreeEntry) => {
    if (made_by === "author" || links === 1) return true;
    if (originals.has(identity.inode)) return false;
    originals.set(identity.inode, path);
    return true;
  };
  const { files = [], twins = [] } = Object.groupBy(file, (entry) => (isOriginal(entry) ? "files" : "twins"));
  return { directories: directory, files, others, twins, originals };
}

async function linkOrCopy(
  entry: TreeEntry,
  originals: Map<bigint, string>,
  options: CopyOptions,
  room?: CopyRoom,
): Promise<boolean> {
  const { path, identity } = entry;
  try {
    linkSync(join(options.to, originals.get(identity.inode) ?? ""), join(options.to, path));
    return true;
  } catch {
    // The original has too many names for this disk, or could not be copied: the next ones are linked to this one.
    room?.take(entry);
    const isCopied = await copyIfPossible(entry, options).catch((error: unknown) => {
      throw room?.faultOf(error) ?? error;
    });
    if (isCopied) originals.set(identity.inode, path);
    return isCopied;
  }
}

async function copyIfPossible(entry: TreeEntry, options: CopyOptions): Promise<boolean> {
  try {
    return await copyEntry(entry, options);
  } catch (error) {
    // No name or target that an arm invents may stop a session; a full or broken disk does.
    if (options.made_by === "author" || !isOutOfReach(error)) throw error;
    return false;
  }
}

async function copyEntry(entry: TreeEntry, options: CopyOptions): Promise<boolean> {
  const target = join(options.to, entry.path);
  if (entry.kind === "directory") mkdirSync(target, { mode: 0o755 });
  else if (entry.kind === "file") await copyContents(entry, options);
  else if (entry.kind === "link") return copyLink(entry, options);
  else return leaveOut(entry, options);
  own(target, options.owner);
  return true;
}

async function copyContents(entry: TreeEntry, options: CopyOptions): Promise<void> {
  const [from, to] = [join(options.from, entry.path), join(options.to, entry.path)];
  try {
    await copyBytes(entry, from, to);
  } catch (error) {
    if (errorCode(error) !== "EACCES" || options.made_by === "author") throw error;
    chmodSync(from, 0o600);
    await copyBytes(entry, from, to);
  }
  const wanted = (entry.mode & 0o777) | 0o600;
  if (wanted !== entry.mode) chmodSync(to, wanted);
}

const copyBytes = (entry: TreeEntry, from: string, to: string) =>
  hasHoles(entry) ? copyWithHoles(from, to) : copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);

function copyLink(entry: TreeEntry, { from, to, owner, made_by }: CopyOptions): boolean {
  const target = readlinkSync(join(from, entry.path), { encoding: "buffer" });
  if (made_by === "author" && leadsOut(from, entry.path, target.toString()))
    throw new Failure("workspace_failed", `${entry.path}: links out of the fixture (to ${target}); remove the link`);
  symlinkSync(target, join(to, entry.path));
  if (owner) lchownSync(join(to, entry.path), owner.uid, owner.gid);
  return true;
}

function leadsOut(root: string, path: string, target: string): boolean {
  const named = normalize(join(dirname(path), target));
  if (target.startsWith("/") || named === ".." || named.startsWith("../")) return true;
  try {
    const real = realpathSync(join(root, path));
    return `${real}${sep}`.startsWith(`${realpathSync(root)}${sep}`) === false;
  } catch {
    // It leads nowhere, and not out.
    return false;
  }
}

function leaveOut(entry: TreeEntry, { made_by }: CopyOptions): false {
  if (made_by === "arm") return false;
  const what = entry.kind === "special" ? "is a pipe, socket or device" : "has a name that is not valid text";
  throw new Failure("workspace_failed", `${entry.path}: ${what}; a fixture holds files, directories and links`);
}

function own(path: string, owner: Owner | null): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
}

/** Bytes that a file may lack on disk without being copied with care: tails and small metadata. */
const SLACK_BYTES = 64 * 1024;

/** Fewer bytes on disk than it claims. */
const hasHoles = ({ size, disk_bytes }: TreeEntry): boolean => size - disk_bytes > SLACK_BYTES;

const CHUNK_BYTES = 1024 * 1024;

/** Writes only what is not zero, so that a copy takes no more of the disk than its original. `to` must not exist. */
async function copyWithHoles(from: string, to: string): Promise<void> {
  const pace = new Pace();
  const [buffer, zeros] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
  await using source = await open(from, "r");
  await using target = await open(to, "wx", 0o600);
  for (let position = 0; ; ) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return await target.truncate(position);
    const chunk = buffer.subarray(0, bytesRead);
    if (!chunk.equals(zeros.subarray(0, bytesRead))) await target.write(chunk, 0, bytesRead, position);
    position += bytesRead;
    await pace.bytes(bytesRead);
  }
}
