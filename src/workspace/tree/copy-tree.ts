import {
  chmodSync,
  chownSync,
  constants,
  lchownSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { Sandbox } from "../workspace.ts";
import { errorCode, workspaceFailed } from "./io-failure.ts";
import { breathe, entryAt, type TreeEntry, walk } from "./walk.ts";

export interface CopyOptions {
  readonly from: string;
  /** Must not exist. */
  readonly to: string;
  readonly owner: Sandbox["owner"];
  /**
   * `author`: a fixture; a FIFO or a link that leads out is a Failure that names it.
   * `arm`: anything may lie there; what is no file, directory or link, or cannot be copied, is left out.
   */
  readonly made_by: "author" | "arm";
  /** What `from` holds, when that is known; it is walked otherwise. */
  readonly entries?: readonly TreeEntry[];
}

/** Files copied at once: a little more than the runtime has threads for. */
const LANES = 8;

/** Entries between two moments in which others may run; a directory or a link takes no thread. */
const BATCH = 200;

/**
 * A copy with the same bytes, links as links, without set-uid bits. Gives the entries of the copy.
 * @throws Failure `workspace_failed`
 */
export async function copyTree(options: CopyOptions): Promise<readonly TreeEntry[]> {
  try {
    mkdirSync(options.to, { mode: 0o700 });
    own(options.to, options.owner);
    return await copyEntries({ ...options, entries: options.entries ?? (await walk(options.from)) });
  } catch (error) {
    throw workspaceFailed("cannot copy the files of a workspace", error);
  }
}

/** As `copyTree`, into a directory that exists and holds none of the entries. */
export async function copyEntries(
  options: CopyOptions & Required<Pick<CopyOptions, "entries">>,
): Promise<readonly TreeEntry[]> {
  const copied: TreeEntry[] = [];
  let seen = 0;
  // Every lane stands still for it: links and faults take no thread, and would go on without end.
  let pause = Promise.resolve();
  let stopped = false;
  const copyAll = async (entries: Iterable<TreeEntry>) => {
    for (const entry of entries) {
      if (stopped) return;
      if (await copyIfPossible(entry, options)) copied.push(entryAt(options.to, entry.path));
      seen += 1;
      if (seen % BATCH === 0) pause = breathe();
      await pause;
    }
  };
  const { directories = [], others = [] } = Object.groupBy(options.entries.toSorted(byDepth), ({ kind }) =>
    kind === "directory" ? "directories" : "others",
  );
  await copyAll(directories);
  // All lanes take from one iterator, and the first fault stops them all: the caller removes what is there.
  const rest = others.values();
  const lane = () =>
    copyAll(rest).catch((error: unknown) => {
      stopped = true;
      throw error;
    });
  const ends = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return copied;
}

/** A directory before what it holds. */
const byDepth = (a: TreeEntry, b: TreeEntry) => (a.path < b.path ? -1 : 1);

/** No name or target that an arm invents may stop a session; a full or broken disk does. */
const ENTRY_FAULTS = new Set([
  "EACCES",
  "EPERM",
  "ENOENT",
  "ENOTDIR",
  "EEXIST",
  "ENAMETOOLONG",
  "EINVAL",
  "EILSEQ",
  "ELOOP",
]);

async function copyIfPossible(entry: TreeEntry, options: CopyOptions): Promise<boolean> {
  try {
    return await copyEntry(entry, options);
  } catch (error) {
    if (options.made_by === "author" || !ENTRY_FAULTS.has(errorCode(error) ?? "")) throw error;
    return false;
  }
}

async function copyEntry(entry: TreeEntry, options: CopyOptions): Promise<boolean> {
  const target = join(options.to, entry.path);
  if (entry.kind === "directory") mkdirSync(target, { mode: 0o755 });
  else if (entry.kind === "file")
    await copyContents(join(options.from, entry.path), target, entry.mode, options.made_by);
  else if (entry.kind === "link") return copyLink(entry, options);
  else return leaveOut(entry, options);
  own(target, options.owner);
  return true;
}

async function copyContents(from: string, to: string, mode: number, made_by: CopyOptions["made_by"]): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (errorCode(error) !== "EACCES" || made_by === "author") throw error;
    chmodSync(from, 0o600);
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
  const wanted = (mode & 0o777) | 0o600;
  if (wanted !== mode) chmodSync(to, wanted);
}

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

function own(path: string, owner: Sandbox["owner"]): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
}
