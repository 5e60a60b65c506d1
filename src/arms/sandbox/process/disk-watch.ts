import { spawn } from "node:child_process";
import { statfsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { exitOf } from "../../../runtime/exit-of.ts";
import { inodeReserveOf, MAX_HOME_BYTES, MAX_WORKSPACE_BYTES, reserveOf } from "../limits.ts";
import type { DiskTaken, SandboxedCommand, SandboxedProgram } from "../sandbox.ts";
import { signalGroup } from "./process-table.ts";

const MiB = 1024 * 1024;

/** Free bytes that must vanish before a directory is measured. The disk has other users, too. */
const SUSPICIOUS_BYTES = 256 * MiB;

interface Watched {
  readonly directory: string;
  /** What the directory is, for people. */
  readonly name: string;
  readonly max_bytes: number;
  /** Taken by earlier commands of this directory; disposal adds what this one took. */
  readonly taken?: DiskTaken | undefined;
  /** Free bytes that vanish before it is measured. */
  readonly suspicious_bytes?: number;
  /** Measured when the command has ended, too, however little has vanished: others may have freed as much meanwhile. */
  readonly at_end?: boolean;
}

type Places = Pick<SandboxedProgram, "directory" | "disk" | "home"> & Pick<SandboxedCommand, "scratch">;

/** Where a program may fill a disk. */
export const disksOf = ({ directory, disk, home, scratch }: Places): readonly DiskWatch[] => [
  new DiskWatch({ directory, name: "the workspace", max_bytes: MAX_WORKSPACE_BYTES, taken: disk }),
  ...(home === undefined ? [] : [new DiskWatch({ directory: home, name: "HOME", max_bytes: MAX_HOME_BYTES })]),
  ...(scratch ? [new DiskWatch({ ...scratch, name: "HOME and /tmp", taken: scratch.disk, at_end: true })] : []),
];

/**
 * Tells when a running command has filled a directory or the disk under it. Cheap while neither is likely. A process
 * of its own measures, because a workspace can hold millions of files. Disposal ends that process.
 */
export class DiskWatch implements Disposable {
  readonly #directory: string;
  readonly #name: string;
  readonly #maxBytes: number;
  readonly #suspiciousBytes: number;
  readonly #atEnd: boolean;
  readonly #taken: DiskTaken;
  readonly #reserve: { readonly bytes: number; readonly inodes: number };
  readonly #freeAtStart: number;
  #freeWhenMeasured: number;
  #measuring: number | undefined;

  constructor({ directory, name, max_bytes, taken, suspicious_bytes, at_end = false }: Watched) {
    this.#directory = directory;
    this.#name = name;
    this.#taken = taken ?? { bytes: 0, unmeasured_bytes: 0 };
    this.#maxBytes = max_bytes;
    // A small limit is passed by little.
    this.#suspiciousBytes = suspicious_bytes ?? Math.min(SUSPICIOUS_BYTES, max_bytes / 8);
    this.#atEnd = at_end;
    const { bsize, blocks, bavail, files, ffree } = statfsSync(directory);
    this.#freeAtStart = bavail * bsize;
    this.#freeWhenMeasured = this.#freeAtStart;
    this.#reserve = {
      bytes: reserveOf({ size: blocks * bsize, free: this.#freeAtStart }),
      inodes: inodeReserveOf({ size: files, free: ffree }),
    };
  }

  /**
   * What is full, with the limit; null while nothing is.
   * @param ended the command takes no more
   */
  async exhausted(ended = false): Promise<string | null> {
    const room = roomBelow(this.#directory);
    if (room === undefined) return null;
    const { bsize, bavail, files, ffree } = room;
    const free = bavail * bsize;
    // File systems that make inodes as they go report 0 of 0.
    if (free < this.#reserve.bytes) return `the disk: ${mebibytes(this.#reserve.bytes)} of it must stay free`;
    if (files > 0 && ffree < this.#reserve.inodes)
      return `the disk: it must have room for ${Math.ceil(this.#reserve.inodes)} files more`;
    const isSuspicious = this.#taken.unmeasured_bytes + this.#freeWhenMeasured - free >= this.#suspiciousBytes;
    if (!isSuspicious && !(ended && this.#atEnd)) return null;
    const inside = await this.#bytesInside(this.#taken.bytes + this.#freeAtStart - free);
    this.#freeWhenMeasured = free;
    this.#taken.unmeasured_bytes = 0;
    return inside > this.#maxBytes ? `${this.#name} may hold ${mebibytes(this.#maxBytes)}` : null;
  }

  [Symbol.dispose](): void {
    if (this.#measuring !== undefined) signalGroup(this.#measuring, "SIGKILL");
    const room = roomBelow(this.#directory);
    const free = room ? room.bavail * room.bsize : this.#freeAtStart;
    this.#taken.bytes += Math.max(0, this.#freeAtStart - free);
    this.#taken.unmeasured_bytes += Math.max(0, this.#freeWhenMeasured - free);
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

/** Undefined for a directory that its command has removed: it takes nothing. */
function roomBelow(directory: string) {
  try {
    return statfsSync(directory);
  } catch {
    return undefined;
  }
}

const mebibytes = (bytes: number) =>
  bytes >= 1024 * MiB ? `${bytes / 1024 / MiB} GiB` : `${Math.round(bytes / MiB)} MiB`;

const CLOSED = "closed";

/** The first complaint of `du` ends it: there can be one for each of a million directories. */
const MEASURE = `{ du -skx "$0" 2>&1 >&3 | grep -q 'ermission denied' && echo ${CLOSED} >&3; } 3>&1`;
