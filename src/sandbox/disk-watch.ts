import { spawn } from "node:child_process";
import { statfsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { exitOf } from "../exit-of.ts";
import { MAX_WORKSPACE_BYTES, RESERVED_INODES, RESERVED_SHARE, reserveOf } from "./limits.ts";
import { signalGroup } from "./process-table.ts";
import type { DiskTaken } from "./sandbox.ts";

/** Free bytes that must vanish before a workspace is measured. The disk has other users, too. */
const SUSPICIOUS_BYTES = 256 * 1024 * 1024;

/**
 * Tells when a running command has filled its workspace or the disk under it. Cheap while neither is likely. A process
 * of its own measures, because a workspace can hold millions of files. Disposal ends that process.
 */
export class DiskWatch implements Disposable {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #suspiciousBytes: number;
  readonly #taken: DiskTaken;
  readonly #reserve: { readonly bytes: number; readonly inodes: number };
  readonly #freeAtStart: number;
  #freeWhenMeasured: number;
  #measuring: number | undefined;

  /**
   * @param taken by earlier commands of this workspace; disposal adds what this one took
   * @param maxBytes of the workspace
   * @param suspiciousBytes free bytes that vanish before it is measured
   */
  constructor(
    directory: string,
    taken: DiskTaken = { bytes: 0, unmeasured_bytes: 0 },
    maxBytes: number = MAX_WORKSPACE_BYTES,
    suspiciousBytes: number = SUSPICIOUS_BYTES,
  ) {
    this.#directory = directory;
    this.#taken = taken;
    this.#maxBytes = maxBytes;
    this.#suspiciousBytes = suspiciousBytes;
    const { bsize, blocks, bavail, files, ffree } = statfsSync(directory);
    this.#freeAtStart = bavail * bsize;
    this.#freeWhenMeasured = this.#freeAtStart;
    this.#reserve = {
      bytes: reserveOf({ size: blocks * bsize, free: this.#freeAtStart }),
      inodes: Math.min(RESERVED_INODES, files * RESERVED_SHARE, ffree / 2),
    };
  }

  async isExhausted(): Promise<boolean> {
    const { bsize, bavail, files, ffree } = statfsSync(this.#directory);
    const free = bavail * bsize;
    // File systems that make inodes as they go report 0 of 0.
    if (free < this.#reserve.bytes || (files > 0 && ffree < this.#reserve.inodes)) return true;
    if (this.#taken.unmeasured_bytes + this.#freeWhenMeasured - free < this.#suspiciousBytes) return false;
    const inside = await this.#bytesInside(this.#taken.bytes + this.#freeAtStart - free);
    this.#freeWhenMeasured = free;
    this.#taken.unmeasured_bytes = 0;
    return inside > this.#maxBytes;
  }

  [Symbol.dispose](): void {
    if (this.#measuring !== undefined) signalGroup(this.#measuring, "SIGKILL");
    const free = this.#freeAtEnd();
    this.#taken.bytes += Math.max(0, this.#freeAtStart - free);
    this.#taken.unmeasured_bytes += Math.max(0, this.#freeWhenMeasured - free);
  }

  /** A command that removed its workspace has taken nothing. */
  #freeAtEnd(): number {
    try {
      const { bsize, bavail } = statfsSync(this.#directory);
      return bavail * bsize;
    } catch {
      return this.#freeAtStart;
    }
  }

  /** `lost` when the workspace cannot be measured, because a command may make its directories unreadable. */
  async #bytesInside(lost: number): Promise<number> {
    const child = spawn("/bin/sh", ["-c", MEASURE, this.#directory], {
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    this.#measuring = child.pid;
    const [said] = await Promise.all([text(child.stdout), exitOf(child)]);
    this.#measuring = undefined;
    const bytes = Number.parseInt(said, 10) * 1024;
    return said.includes(CLOSED) || Number.isNaN(bytes) ? lost : bytes;
  }
}

const CLOSED = "closed";

/** The first complaint of `du` ends it: there can be one for each of a million directories. */
const MEASURE = `{ du -skx "$0" 2>&1 >&3 | grep -q 'ermission denied' && echo ${CLOSED} >&3; } 3>&1`;
