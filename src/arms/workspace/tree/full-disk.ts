import { errorCode, Mistake } from "../../../domain/failure.ts";
import { MAX_WORKSPACE_ENTRIES } from "../../sandbox/limits.ts";
import { TreeTooLarge, treeFault } from "../io-failure.ts";
import { type TreeEntry, walk } from "./walk.ts";

/** Bytes of a workspace that every disk must have room for. Up to here a full disk is the machine's fault. */
export const MODEST_BYTES = 64 * 1024 * 1024;

/** What an entry takes besides its bytes. */
const ENTRY_BYTES = 4_096;

/** Bytes that entries take on disk. */
export const bytesOnDisk = (entries: readonly TreeEntry[]): number =>
  entries.reduce((total, { disk_bytes }) => total + disk_bytes + ENTRY_BYTES, 0);

export const isDiskFull = (error: unknown): boolean => errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";

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
