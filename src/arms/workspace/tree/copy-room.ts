import { statfsSync } from "node:fs";
import { errorCode, Mistake } from "../../../domain/failure.ts";
import { MAX_WORKSPACE_BYTES, MAX_WORKSPACE_ENTRIES, reserveOf } from "../../sandbox/limits.ts";
import { TreeTooLarge, treeFault, workspaceFailed } from "../io-failure.ts";
import { type TreeEntry, walk } from "./walk.ts";

/** Bytes copied between two looks at the disk. */
const LOOK_BYTES = 64 * 1024 * 1024;

/** Checks that a copy of an arm's work is no larger than a workspace may be, and that the disk has room for it. */
export class CopyRoom {
  readonly #directory: string;
  readonly #needed: number;
  readonly #reserve: number;
  #unseen = 0;

  /** @throws TreeTooLarge; Failure `workspace_failed` when the disk is full whatever the arm did. */
  constructor(directory: string, entries: readonly TreeEntry[]) {
    const apparent = entries.reduce((total, { kind, size }) => total + (kind === "file" ? size : 0), 0);
    if (apparent > MAX_WORKSPACE_BYTES)
      throw new TreeTooLarge(
        `The files of the workspace are ${apparent} bytes long together; at most ${MAX_WORKSPACE_BYTES} are copied.`,
      );
    this.#directory = directory;
    this.#needed = bytesOnDisk(entries);
    const { bsize, blocks, bavail, files, ffree } = statfsSync(directory);
    this.#reserve = reserveOf({ size: blocks * bsize, free: bavail * bsize });
    const hasInodes = files === 0 || ffree > entries.length;
    if (!hasInodes || bavail * bsize - this.#needed < this.#reserve) throw this.#full();
  }

  /** Called before each entry. @throws as the constructor does. */
  take({ disk_bytes }: TreeEntry): void {
    this.#unseen += disk_bytes;
    if (this.#unseen < LOOK_BYTES) return;
    this.#unseen = 0;
    const { bsize, bavail } = statfsSync(this.#directory);
    if (bavail * bsize < this.#reserve / 2) throw this.#full();
  }

  /** What a fault in the middle of the copy means. */
  faultOf(error: unknown): unknown {
    return isDiskFull(error) ? this.#full() : error;
  }

  #full(): Error {
    if (this.#needed <= MODEST_BYTES)
      return workspaceFailed("cannot copy the files of a workspace", new Error("the disk is full"));
    return new TreeTooLarge(`The disk has no room for a copy of the workspace (${this.#needed} bytes).`);
  }
}

/** Bytes of a workspace that every disk must have room for. Up to here a full disk is the machine's fault. */
const MODEST_BYTES = 64 * 1024 * 1024;

/** What an entry takes besides its bytes. */
const ENTRY_BYTES = 4_096;

const bytesOnDisk = (entries: readonly TreeEntry[]): number =>
  entries.reduce((total, { disk_bytes }) => total + disk_bytes + ENTRY_BYTES, 0);

const isDiskFull = (error: unknown): boolean => errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";

/** Whether a workspace is so large that it may have filled the disk. */
async function mayHaveFilled(root: string): Promise<boolean> {
  try {
    return bytesOnDisk(await walk(root, { max_entries: MAX_WORKSPACE_ENTRIES })) > MODEST_BYTES;
  } catch (error) {
    if (error instanceof TreeTooLarge) return true;
    throw error;
  }
}

/** A full disk is the arm's mistake only when its own workspace may have filled it. */
export async function faultIn(root: string, what: string, error: unknown): Promise<unknown> {
  if (isDiskFull(error) && (await mayHaveFilled(root))) return new Mistake(`${what}: the disk is full.`);
  return treeFault(what, error);
}
