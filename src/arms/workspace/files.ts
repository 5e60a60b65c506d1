import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Mistake } from "../../domain/failure.ts";
import type { Owner } from "../sandbox/sandbox.ts";
import { locate, workspacePath } from "./confine.ts";
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
