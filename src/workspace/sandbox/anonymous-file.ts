import { closeSync, fchownSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../scratch.ts";

/**
 * Open files without a name, for one command: nothing is left on disk whatever happens to this process.
 * Disposal closes them.
 */
export class AnonymousFiles implements Disposable {
  readonly #directory = scratchDirectory();
  readonly #descriptors: number[] = [];

  /** A descriptor positioned at the start of `content`. */
  holding(content: string | Uint8Array): number {
    const descriptor = this.#open("wx+");
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (bytes.length > 0) writeSync(descriptor, bytes, 0, bytes.length, 0);
    return descriptor;
  }

  /** A descriptor whose writes always append; `owner` may reopen it through /proc. */
  appending(owner: { readonly uid: number; readonly gid: number } | null): number {
    const descriptor = this.#open("ax+");
    if (owner) fchownSync(descriptor, owner.uid, owner.gid);
    return descriptor;
  }

  /** Takes the names away; the descriptors stay. */
  unlink(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.unlink();
    for (const descriptor of this.#descriptors) closeSync(descriptor);
  }

  #open(flags: string): number {
    const descriptor = openSync(join(this.#directory, String(this.#descriptors.length)), flags, 0o600);
    this.#descriptors.push(descriptor);
    return descriptor;
  }
}
