import { type BigIntStats, chmodSync, type Dirent, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { breathe, Pace } from "../../../runtime/pace.ts";
import { isOutOfReach, TreeTooLarge } from "../io-failure.ts";
import { readNames } from "./read-names.ts";

/** `unreadable`: its name is no valid text, or its path is too long; nothing more can be known of it. */
type EntryKind = "file" | "directory" | "link" | "special" | "unreadable";

export interface TreeEntry {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly size: number;
  /** Bytes that it takes on disk; fewer than its size when it has holes. */
  readonly disk_bytes: number;
  readonly mode: number;
  /** Names of one file; more than one are hard links. */
  readonly links: number;
  readonly identity: Identity;
}

/** Changes whenever a file's bytes do: no program can set a ctime. */
export interface Identity {
  readonly inode: bigint;
  /** Nanoseconds since the epoch. */
  readonly ctime: bigint;
}

export interface WalkOptions {
  /** Files and directories to walk, relative to the root; "" is all of it, which is the default. */
  readonly from?: readonly string[];
  /** Entries to leave out, with everything below them. */
  readonly skip?: ((path: string, isDirectory: boolean) => boolean) & {
    /** What an answer takes, in units of `Pace`; default: next to nothing. */
    readonly units?: number;
  };
  /** Entries, left out or not, after which the walk is given up; default: no limit. */
  readonly max_entries?: number;
}

/** Characters of paths for each entry that a walk may meet: a deep tree may have fewer entries. */
const CHARS_PER_ENTRY = 320;

/**
 * Everything below `root`, in no order. Follows no link and opens no file, so nothing in the tree can make it read
 * elsewhere or wait. Directories that shut their owner out are opened.
 * @throws TreeTooLarge beyond `max_entries`; when `root` is no directory.
 */
export async function walk(root: string, options: WalkOptions = {}): Promise<readonly TreeEntry[]> {
  if (!statSync(root).isDirectory()) throw new Error(`${root} is not a directory`);
  const allowance = new Allowance(options.max_entries ?? Number.POSITIVE_INFINITY);
  const pace = new Pace();
  const found: TreeEntry[] = [];
  const pending: string[] = [];
  const visit = async (path: string, isText = true) => {
    allowance.take(path);
    await pace.path(path);
    await pace.units(options.skip?.units ?? 0);
    const entry = isText ? entryAt(root, path) : unreadable(path);
    if (options.skip?.(path, entry.kind === "directory")) return;
    found.push(entry);
    if (entry.kind === "directory") pending.push(path);
  };
  for (const start of options.from ?? [""]) {
    if (start === "") pending.push("");
    else if (isPresent(root, start)) await visit(start);
  }
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    openUp(join(root, directory));
    const names = await readNames(join(root, directory), allowance.entries);
    for (const { path, isText } of named(directory, names)) await visit(path, isText);
  }
  return found;
}

/** What is left of a walk's limits. */
class Allowance {
  readonly #max: number;
  #entries: number;
  #chars: number;

  constructor(max: number) {
    this.#max = max;
    this.#entries = max;
    this.#chars = max * CHARS_PER_ENTRY;
  }

  get entries(): number {
    return this.#entries;
  }

  take(path: string): void {
    this.#entries -= 1;
    this.#chars -= path.length;
    if (this.#entries < 0) throw new TreeTooLarge(`There are more than ${this.#max} files and directories.`);
    if (this.#chars < 0) throw new TreeTooLarge("The paths of all files and directories are too long together.");
  }
}

/** One entry, its parents known to be real directories. */
export function entryAt(root: string, path: string): TreeEntry {
  try {
    const stats = lstatSync(join(root, path), { bigint: true });
    return {
      path,
      kind: kindOf(stats),
      size: Number(stats.size),
      disk_bytes: Number(stats.blocks) * 512,
      mode: Number(stats.mode) & 0o7777,
      links: Number(stats.nlink),
      identity: { inode: stats.ino, ctime: stats.ctimeNs },
    };
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return unreadable(path);
  }
}

const unreadable = (path: string): TreeEntry => ({
  path,
  kind: "unreadable",
  size: 0,
  disk_bytes: 0,
  mode: 0,
  links: 1,
  identity: { inode: 0n, ctime: 0n },
});

function kindOf(stats: BigIntStats | Dirent): EntryKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "special";
}

interface Name {
  readonly path: string;
  /** False: the name is no valid UTF-8, and `path` only stands for it. */
  readonly isText: boolean;
}

function* named(directory: string, names: readonly Buffer[]): Generator<Name> {
  const prefix = directory === "" ? "" : `${directory}/`;
  const valid: string[] = [];
  const garbled: string[] = [];
  for (const bytes of names) {
    const text = bytes.toString();
    const isText = bytes.equals(Buffer.from(text));
    (isText ? valid : garbled).push(text);
    if (isText) yield { path: prefix + text, isText };
  }
  if (garbled.length === 0) return;
  const unique = uniqueNames(valid);
  for (const text of garbled) yield { path: prefix + unique(text), isText: false };
}

/** Different names may decode to the same text; one entry must not hide another. */
function uniqueNames(valid: readonly string[]): (text: string) => string {
  const taken = new Set(valid);
  const counts = new Map<string, number>();
  return (text) => {
    let count = counts.get(text) ?? 1;
    let name = count === 1 ? text : `${text} (${count})`;
    while (taken.has(name)) {
      count += 1;
      name = `${text} (${count})`;
    }
    counts.set(text, count + 1);
    taken.add(name);
    return name;
  };
}

/** Lets its owner list and enter a real directory. One that cannot be opened is found out when it is read. */
function openUp(directory: string): void {
  try {
    const { mode } = lstatSync(directory);
    if ((mode & 0o500) !== 0o500) chmodSync(directory, (mode & 0o777) | 0o700);
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
  }
}

/** Something stands there, and every step on the way to it is a real directory, none a link. */
function isPresent(root: string, path: string): boolean {
  const steps = path.split("/");
  openUp(root);
  return steps.every((_, depth) => {
    const step = lstatSync(join(root, ...steps.slice(0, depth + 1)), { throwIfNoEntry: false });
    if (depth === steps.length - 1) return step !== undefined;
    if (step?.isDirectory()) openUp(join(root, ...steps.slice(0, depth + 1)));
    return step?.isDirectory() === true;
  });
}

/** Items sorted at once; what is larger is sorted in parts. */
const PART = 4_000;

/** By path, as strings are compared; others have their turn between the parts. */
export async function sortedByPath<T extends { readonly path: string }>(items: readonly T[]): Promise<readonly T[]> {
  if (items.length <= PART) return items.toSorted(byPath);
  await breathe();
  const middle = items.length >> 1;
  const left = await sortedByPath(items.slice(0, middle));
  const right = await sortedByPath(items.slice(middle));
  const merged: T[] = [];
  let at = 0;
  for (const item of left) {
    for (let other = right[at]; other !== undefined && other.path < item.path; other = right[at]) {
      merged.push(other);
      at += 1;
    }
    merged.push(item);
  }
  return merged.concat(right.slice(at));
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1);

/** The directories that a path lies in, from the outermost on. */
export const parentsOf = (path: string): readonly string[] => {
  const steps = path.split("/");
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("/"));
};
