import { type BigIntStats, chmodSync, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "./io-failure.ts";

/** `unreadable`: its name is no valid text, or its path is too long; nothing more can be known of it. */
export type EntryKind = "file" | "directory" | "link" | "special" | "unreadable";

export interface TreeEntry {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly size: number;
  readonly mode: number;
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
  readonly skip?: (path: string, isDirectory: boolean) => boolean;
}

/** Entries between two moments in which others may run. */
const BATCH = 1_000;

/**
 * Everything below `root`, in no order. Follows no link and opens no file, so nothing in the tree can make it read
 * elsewhere or wait. Directories that shut their owner out are opened. @throws when `root` is no directory.
 */
export async function walk(root: string, options: WalkOptions = {}): Promise<readonly TreeEntry[]> {
  if (!statSync(root).isDirectory()) throw new Error(`${root} is not a directory`);
  const found: TreeEntry[] = [];
  const pending: string[] = [];
  const visit = (path: string, isText = true) => {
    const entry = isText ? entryAt(root, path) : unreadable(path);
    if (options.skip?.(path, entry.kind === "directory")) return;
    found.push(entry);
    if (entry.kind === "directory") pending.push(path);
  };
  for (const start of options.from ?? [""]) {
    if (start === "") pending.push("");
    else if (isPresent(root, start)) visit(start);
  }
  let pause = BATCH;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    openUp(join(root, directory));
    for (const { path, isText } of namesIn(root, directory)) visit(path, isText);
    if (found.length < pause) continue;
    pause = found.length + BATCH;
    await breathe();
  }
  return found;
}

/** Lets timers and sockets have their turn in long work. */
export const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

const OUT_OF_REACH = new Set(["EACCES", "ENOENT", "ENAMETOOLONG"]);

/** One entry, its parents known to be real directories. */
export function entryAt(root: string, path: string): TreeEntry {
  try {
    const stats = lstatSync(join(root, path), { bigint: true });
    const { size, mode, ino, ctimeNs } = stats;
    const identity = { inode: ino, ctime: ctimeNs };
    return { path, kind: kindOf(stats), size: Number(size), mode: Number(mode) & 0o7777, identity };
  } catch (error) {
    if (!OUT_OF_REACH.has(errorCode(error) ?? "")) throw error;
    return unreadable(path);
  }
}

const unreadable = (path: string): TreeEntry => ({
  path,
  kind: "unreadable",
  size: 0,
  mode: 0,
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

function namesIn(root: string, directory: string): readonly Name[] {
  const prefix = directory === "" ? "" : `${directory}/`;
  const names = readNames(join(root, directory)).map((bytes) => ({ bytes, text: bytes.toString() }));
  const isText = ({ bytes, text }: (typeof names)[number]) => bytes.equals(Buffer.from(text));
  const valid = names.filter(isText).map(({ text }) => text);
  const taken = new Set(valid);
  const standIns = names.filter((name) => !isText(name)).map(({ text }) => standIn(text, taken));
  return [
    ...valid.map((text) => ({ path: prefix + text, isText: true })),
    ...standIns.map((text) => ({ path: prefix + text, isText: false })),
  ];
}

/** Different names may decode to the same text; one entry must not hide another. */
function standIn(text: string, taken: Set<string>): string {
  let unique = text;
  for (let count = 2; taken.has(unique); count += 1) unique = `${text} (${count})`;
  taken.add(unique);
  return unique;
}

function readNames(path: string): readonly Buffer[] {
  try {
    return readdirSync(path, { encoding: "buffer" });
  } catch (error) {
    if (!OUT_OF_REACH.has(errorCode(error) ?? "")) throw error;
    return [];
  }
}

/** Lets its owner list and enter a real directory; what resists is seen when it is read. */
function openUp(directory: string): void {
  try {
    const { mode } = lstatSync(directory);
    if ((mode & 0o500) !== 0o500) chmodSync(directory, (mode & 0o777) | 0o700);
  } catch (error) {
    if (!OUT_OF_REACH.has(errorCode(error) ?? "") && errorCode(error) !== "EPERM") throw error;
  }
}

/** Something stands there, and every step on the way to it is a real directory, none a link. */
export function isPresent(root: string, path: string): boolean {
  const steps = path.split("/");
  openUp(root);
  return steps.every((_, depth) => {
    const step = lstatSync(join(root, ...steps.slice(0, depth + 1)), { throwIfNoEntry: false });
    if (depth === steps.length - 1) return step !== undefined;
    if (step?.isDirectory()) openUp(join(root, ...steps.slice(0, depth + 1)));
    return step?.isDirectory() === true;
  });
}
