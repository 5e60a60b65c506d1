import { closeSync, lstatSync, openSync, readFileSync, readlinkSync, readSync, type Stats } from "node:fs";
import { join, posix } from "node:path";
import type { Owner } from "../sandbox/sandbox.ts";
import { ImageFault, quotedPath } from "./image-fault.ts";

/** Links that are followed on the way to one path, as the kernel does. */
const MOST_LINKS = 40;

/** Steps along one path, links included. Honest ones take a few dozen, and the kernel would take 10,000. */
const MOST_STEPS = 1_000;

/** Steps in looking up all paths of one image: its entries are a million at most, and each has some directories above it. */
const MOST_STEPS_IN_ALL = 10_000_000;

/** How much is looked up: of one path, and of all of an image. */
export class LookUps {
  #path = "";
  #ofPath = 0;
  #inAll = 0;

  /** @returns the steps of the path before it */
  begin(path: string): number {
    const before = this.#ofPath;
    [this.#path, this.#ofPath] = [path, 0];
    return before;
  }

  /** @throws ImageFault when there are too many */
  step(): void {
    this.#ofPath += 1;
    this.#inAll += 1;
    if (this.#ofPath > MOST_STEPS)
      throw new ImageFault(
        `holds ${quotedPath(this.#path)}, which its links lead along more than ${MOST_STEPS} directories; make these links shorter`,
      );
    if (this.#inAll > MOST_STEPS_IN_ALL)
      throw new ImageFault(
        `holds paths that take more than ${MOST_STEPS_IN_ALL} steps to look up, up to ${quotedPath(this.#path)}; make an image with fewer files, or shorter links`,
      );
  }
}

/** What stands at a path of an image, on this machine. */
interface Found {
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Where a path leads in a tree that nobody changes meanwhile, as it would for a program whose root the tree is: no link leads out.
 * Undefined when nothing is there. @throws ImageFault for links that lead in a circle
 */
export function findInRoot(root: string, path: string, lookUps = new LookUps()): Found | undefined {
  let way: Way | undefined = { at: "", pending: stepsOf(path) };
  for (let links = 0; way && way.pending.length > 0; links += 1) {
    if (links > MOST_LINKS) throw new ImageFault(`holds links that lead in a circle at ${path}`);
    way = alongDirectories(root, way, lookUps);
  }
  if (!way) return undefined;
  const real = join(root, way.at);
  return { path: real, stats: lstatSync(real) };
}

interface Way {
  readonly at: string;
  readonly pending: readonly string[];
}

/** Walks as far as the next link, which the caller follows; undefined when nothing is there. */
function alongDirectories(root: string, { at: start, pending }: Way, lookUps: LookUps): Way | undefined {
  let at = start;
  for (const [index, step] of pending.entries()) {
    lookUps.step();
    const next = step === ".." ? posix.dirname(`/${at}`).slice(1) : posix.join(at, step);
    const entry = lstatSync(join(root, next), { throwIfNoEntry: false });
    if (entry?.isSymbolicLink()) {
      const rest = pending.slice(index + 1);
      const target = readlinkSync(join(root, next));
      return { at: target.startsWith("/") ? "" : at, pending: [...stepsOf(target), ...rest] };
    }
    if (!entry || (index < pending.length - 1 && !entry.isDirectory())) return undefined;
    at = next;
  }
  return { at, pending: [] };
}

const stepsOf = (path: string): string[] => path.split("/").filter((step) => step !== "" && step !== ".");

const SHELL = "/bin/sh";

/** Why no command can be started in an image, to follow its path; null when nothing tells. Only the shell's first bytes are read. */
export function shellFault(root: string): string | null {
  const shell = findInRoot(root, SHELL);
  if (!shell)
    return `has no ${SHELL}, which commands need; build it on an image with a shell, such as debian or alpine`;
  if (!shell.stats.isFile() || (shell.stats.mode & 0o111) === 0)
    return `has a ${SHELL} that is no executable file; put a shell there, with chmod 755`;
  const starter = starterOf(headOf(shell.path));
  if (starter === undefined || findInRoot(root, starter)?.stats.isFile()) return null;
  return `lacks ${JSON.stringify(starter.slice(0, 200))}, with which its ${SHELL} is started; put it into the image (a C library brings its loader), or use a static shell`;
}

/** Bytes in which a program says what starts it. */
const HEAD_BYTES = 8_192;

function headOf(path: string): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** The program that starts one: a script's interpreter, or the loader of one with libraries. Undefined when it needs none. */
function starterOf(head: Buffer): string | undefined {
  if (head.toString("latin1", 0, 2) === "#!") return /^#!\s*(\S+)/.exec(head.toString())?.[1];
  if (head.toString("latin1", 0, 6) !== "\x7fELF\x02\x01") return undefined;
  const [table, size, count] = [Number(head.readBigUInt64LE(32)), head.readUInt16LE(54), head.readUInt16LE(56)];
  for (let at = table; at + size <= head.length && at < table + count * size && size >= PROGRAM_HEADER; at += size)
    if (head.readUInt32LE(at) === INTERPRETER) {
      const start = Number(head.readBigUInt64LE(at + 8));
      return head.toString("utf8", start, start + Number(head.readBigUInt64LE(at + 32))).split("\0", 1)[0] || undefined;
    }
  return undefined;
}

/** Of 64-bit ELF files (elf(5)): bytes of an entry of the program header table, and the kind that names the loader. */
const PROGRAM_HEADER = 56;
const INTERPRETER = 3;

/** Bytes of a list of users or groups. */
const LIST_BYTES = 128 * 1024;

const MOST_ID = 65_534;

/** Whom an image's programs run as: `name`, `uid`, either with `:group`; empty is root. @throws ImageFault for whom it does not know */
export function imageUser(root: string, written: string): Owner {
  const [user = "", group] = written.split(":");
  const known = rowIn(root, "/etc/passwd", ([name, , uid]) => name === user || (user !== "" && uid === user));
  const uid = user === "" ? 0 : numberOf(known?.[2] ?? user);
  const gid = group === undefined ? numberOf(known?.[3] ?? "0") : groupOf(root, group);
  if (uid === undefined || gid === undefined)
    throw new ImageFault(
      `runs as ${JSON.stringify(written.slice(0, 80))}, whom its /etc/passwd and /etc/group do not name`,
    );
  return { uid, gid };
}

const groupOf = (root: string, group: string) =>
  numberOf(rowIn(root, "/etc/group", ([name]) => name === group)?.[2] ?? group);

type Row = readonly string[];

/** The first row that is meant. A row has seven fields at most. */
function rowIn(root: string, path: string, isMeant: (row: Row) => boolean): Row | undefined {
  const text = textInRoot(root, path, LIST_BYTES) ?? "";
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const row = text.slice(start, end === -1 ? text.length : end).split(":", 7);
    if (isMeant(row)) return row;
    start = end === -1 ? text.length : end + 1;
  }
  return undefined;
}

/** A small text file of an image; undefined when it is none. */
function textInRoot(root: string, path: string, maxBytes: number): string | undefined {
  const found = findInRoot(root, path);
  if (!found?.stats.isFile() || found.stats.size > maxBytes) return undefined;
  return readFileSync(found.path, "utf8");
}

function numberOf(text: string): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  return number !== undefined && number <= MOST_ID ? number : undefined;
}
