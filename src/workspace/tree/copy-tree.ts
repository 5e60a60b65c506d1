import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  lchownSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
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

/** Files between two moments in which others may run. */
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
  for (const [index, entry] of options.entries.toSorted(byDepth).entries()) {
    if (index % BATCH === BATCH - 1) await breathe();
    if (copyIfPossible(entry, options)) copied.push(entryAt(options.to, entry.path));
  }
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

function copyIfPossible(entry: TreeEntry, options: CopyOptions): boolean {
  try {
    return copyEntry(entry, options);
  } catch (error) {
    if (options.made_by === "author" || !ENTRY_FAULTS.has(errorCode(error) ?? "")) throw error;
    return false;
  }
}

function copyEntry(entry: TreeEntry, options: CopyOptions): boolean {
  const target = join(options.to, entry.path);
  if (entry.kind === "directory") mkdirSync(target, { mode: 0o755 });
  else if (entry.kind === "file") copyFile(join(options.from, entry.path), target, entry.mode, options.made_by);
  else if (entry.kind === "link") return copyLink(entry, options);
  else return leaveOut(entry, options);
  own(target, options.owner);
  return true;
}

function copyFile(from: string, to: string, mode: number, made_by: CopyOptions["made_by"]): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (errorCode(error) !== "EACCES" || made_by === "author") throw error;
    chmodSync(from, 0o600);
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
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
