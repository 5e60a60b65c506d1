import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix } from "node:path";
import { errorCode, Mistake } from "../../domain/failure.ts";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";
import type { Owner } from "../sandbox/sandbox.ts";
import { decodedText, readRegular } from "./tree/contents.ts";

/** Bytes of a file that is read or written as text. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** @throws Mistake */
export function readTextFile(root: string, path: string): string {
  const place = locate(root, path);
  const entry = lstatSync(place, { throwIfNoEntry: false });
  if (!entry) throw new Mistake(`${path} does not exist.`);
  if (entry.isDirectory()) throw new Mistake(`${path} is a directory.`);
  if (!entry.isFile()) throw new Mistake(`${path} is not a regular file.`);
  if (entry.size > MAX_TEXT_BYTES)
    throw new Mistake(`${path} has ${entry.size} bytes; at most ${MAX_TEXT_BYTES} can be read.`);
  const bytes = readRegular("/", place, entry.size);
  const text = bytes && decodedText(bytes);
  if (text === undefined) throw new Mistake(`${path} is not a text file (${entry.size} bytes).`);
  return text;
}

/** Keeps the mode of a file that exists. @throws Mistake */
export function writeTextFile(root: string, path: string, text: string, owner: Owner | null): void {
  if (workspacePath(path) === "") throw new Mistake(`${path} is a directory.`);
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new Mistake(`The text is larger than ${MAX_TEXT_BYTES} bytes.`);
  const place = locate(root, path);
  makeParents(root, place, path, owner);
  const entry = lstatSync(place, { throwIfNoEntry: false });
  if (entry?.isDirectory()) throw new Mistake(`${path} is a directory.`);
  if (entry && !entry.isFile()) throw new Mistake(`${path} is not a regular file.`);
  if (entry) overwrite(place, text);
  else create(place, text, owner);
}

/** @throws Mistake */
export function removeFile(root: string, path: string): void {
  const relative = workspacePath(path);
  if (relative === "") throw new Mistake(`${path} is a directory.`);
  // The entry itself goes, also when it is a link: only the way to it is followed.
  const place = `${locate(root, dirname(relative), path)}/${relative.slice(relative.lastIndexOf("/") + 1)}`;
  const entry = lstatSync(place, { throwIfNoEntry: false });
  if (!entry) throw new Mistake(`${path} does not exist.`);
  if (entry.isDirectory()) throw new Mistake(`${path} is a directory.`);
  rmSync(place);
}

function makeParents(root: string, place: string, path: string, owner: Owner | null): void {
  const missing: string[] = [];
  for (let parent = dirname(place); parent.length >= root.length; parent = dirname(parent)) {
    const entry = lstatSync(parent, { throwIfNoEntry: false });
    if (entry?.isDirectory()) break;
    if (entry) throw new Mistake(`${path}: a part of the path is a file, not a directory.`);
    missing.unshift(parent);
  }
  for (const parent of missing) {
    mkdirSync(parent, { mode: 0o755 });
    if (owner) chownSync(parent, owner.uid, owner.gid);
  }
}

const OVERWRITE = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function overwrite(place: string, text: string): void {
  const { mode } = lstatSync(place);
  if ((mode & 0o200) === 0) chmodSync(place, (mode & 0o777) | 0o200);
  const descriptor = openSync(place, OVERWRITE);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function create(place: string, text: string, owner: Owner | null): void {
  writeFileSync(place, text, { flag: "wx", mode: 0o644 });
  if (owner) chownSync(place, owner.uid, owner.gid);
}

/** Characters of a path that Linux takes; every step of one is looked at. */
const MAX_PATH_CHARS = 4_096;

/**
 * A path as a model writes it, relative to its workspace: `./a`, `b/../a` and the absolute `/workspace/a` are all `a`.
 * The workspace itself is the empty path. @throws Mistake when it climbs out.
 * @param at where the workspace is mounted
 */
export function workspacePath(path: string, at: string = WORKSPACE_AT): string {
  if (path.length > MAX_PATH_CHARS) throw new Mistake(`The path has ${path.length} characters; no file has so many.`);
  if (path.includes("\0")) throw new Mistake("The path contains a NUL character.");
  const relative = path === at ? "" : path.startsWith(`${at}/`) ? path.slice(at.length + 1) : path;
  const normal = posix.normalize(relative === "" ? "." : relative).replace(/\/$/, "");
  if (normal.startsWith("/") || normal === ".." || normal.startsWith("../")) throw outside(path);
  return normal === "." ? "" : normal;
}

/**
 * Where a path leads on disk, its links followed. The last steps may be absent.
 * @param named the path to name in a mistake, when the model wrote another
 * @throws Mistake when it leads out of the workspace, or through something that is no directory.
 */
export function locate(root: string, path: string, named: string = path): string {
  const relative = workspacePath(path);
  const steps = relative === "" ? [] : relative.split("/");
  const realRoot = realpathSync(root);
  let existing = steps.length;
  while (existing > 0 && !exists(join(root, ...steps.slice(0, existing)), named)) existing -= 1;
  const real = follow(join(root, ...steps.slice(0, existing)), named);
  if (real !== realRoot && !real.startsWith(`${realRoot}/`)) throw outside(named);
  return join(real, ...steps.slice(existing));
}

function follow(place: string, path: string): string {
  try {
    return realpathSync(place);
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new Mistake(`${path} is a link that leads nowhere in the workspace.`);
    if (errorCode(error) === "ELOOP") throw new Mistake(`${path} is a link that leads back to itself.`);
    throw new Mistake(`${path} cannot be reached (${errorCode(error)}).`);
  }
}

function exists(place: string, path: string): boolean {
  try {
    lstatSync(place);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw new Mistake(`${path} cannot be reached (${errorCode(error)}).`);
  }
}

const outside = (path: string) =>
  new Mistake(`${path} is outside the workspace. Give a path relative to the workspace, like src/main.ts.`);
