import { closeSync, constants, fchownSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTempDir } from "../temp-dir.ts";

/** O_TMPFILE of Linux, which node has no constant for: the file never has a name. */
const NAMELESS = 0o20000000 | constants.O_DIRECTORY;

/**
 * Open files without a name, for one command. Nothing of them is left on disk, whatever happens to this process.
 * Disposal closes them.
 */
export class AnonymousFiles implements Disposable {
  readonly #descriptors: number[] = [];

  /** A descriptor positioned at the start of `content`. */
  holding(content: string | Uint8Array): number {
    const descriptor = this.#open(0);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (bytes.length > 0) writeSync(descriptor, bytes, 0, bytes.length, 0);
    return descriptor;
  }

  /** A descriptor whose writes always append; `owner` may reopen it through /proc. */
  appending(owner: { readonly uid: number; readonly gid: number } | null): number {
    const descriptor = this.#open(constants.O_APPEND);
    if (owner) fchownSync(descriptor, owner.uid, owner.gid);
    return descriptor;
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#descriptors) closeSync(descriptor);
  }

  #open(flags: number): number {
    const descriptor = openNameless(flags | constants.O_RDWR);
    this.#descriptors.push(descriptor);
    return descriptor;
  }
}

function openNameless(flags: number): number {
  try {
    if (process.platform === "linux") return openSync(tmpdir(), NAMELESS | flags, 0o600);
  } catch {
    // This file system cannot. A file with a name is made, and its name removed at once.
  }
  const directory = makeTempDir();
  try {
    return openSync(join(directory, "file"), constants.O_CREAT | constants.O_EXCL | flags, 0o600);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
