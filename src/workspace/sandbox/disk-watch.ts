import { lstatSync, readdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { MAX_WORKSPACE_BYTES, RESERVED_BYTES } from "./limits.ts";

/** Share of a small disk that stays free. */
const RESERVED_SHARE = 0.05;
/** Free bytes that must vanish before a workspace is measured: the disk has other users too. */
const SUSPICIOUS_BYTES = 256 * 1024 * 1024;

/** Tells when a running command has filled its workspace or the disk under it. Cheap while neither is likely. */
export class DiskWatch {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #suspiciousBytes: number;
  readonly #reserve: number;
  #freeWhenMeasured: number;

  /** @param maxBytes of the workspace @param suspiciousBytes free bytes that vanish before it is measured */
  constructor(directory: string, maxBytes: number = MAX_WORKSPACE_BYTES, suspiciousBytes: number = SUSPICIOUS_BYTES) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#suspiciousBytes = suspiciousBytes;
    const { bsize, blocks, bavail } = statfsSync(directory);
    this.#freeWhenMeasured = bavail * bsize;
    // A disk that is already full is the machine's fault: the command then gets half of what is left.
    this.#reserve = Math.min(RESERVED_BYTES, blocks * bsize * RESERVED_SHARE, this.#freeWhenMeasured / 2);
  }

  isExhausted(): boolean {
    const { bsize, bavail, files, ffree } = statfsSync(this.#directory);
    const free = bavail * bsize;
    // File systems that make inodes as they go report 0 of 0.
    if (free < this.#reserve || (files > 0 && ffree === 0)) return true;
    if (this.#freeWhenMeasured - free < this.#suspiciousBytes) return false;
    this.#freeWhenMeasured = free;
    return bytesOnDisk(this.#directory, this.#maxBytes) > this.#maxBytes;
  }
}

/** Of everything below `directory`, counted until `enough`; entries that vanish meanwhile count nothing. */
function bytesOnDisk(directory: string, enough: number): number {
  let bytes = 0;
  const pending = [directory];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const path of entriesOf(next)) {
      const entry = lstatSync(path, { throwIfNoEntry: false });
      bytes += (entry?.blocks ?? 0) * 512;
      if (entry?.isDirectory()) pending.push(path);
    }
    if (bytes > enough) break;
  }
  return bytes;
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return [];
  }
}
