import { statSync } from "node:fs";
import { errorCode, Failure } from "./failure.ts";

/** What the machine lacks and what gives more of it, by the system's word. None of them can be a fault of a file. */
const SHORTAGES: Readonly<Record<string, () => string>> = {
  EMFILE: () => `${openFiles()}, as many as it may (ulimit -n): raise that limit, or run less at a time`,
  ENFILE: () => "this machine has as many files open as it may (fs.file-max): close some, or raise that limit",
  ENOMEM: () => "this machine has no memory left for it: free some, or run less at a time",
  EAGAIN: () => "this machine starts no more processes or threads (ulimit -u): raise that limit, or run less at a time",
  ENOSPC: () => "no space is left on a disk of this machine: free some (TMPDIR says where temporary files lie)",
  EDQUOT: () => "the quota of a disk of this machine is used up: free some (TMPDIR says where temporary files lie)",
};

/** Why a file could not be read or written, when the machine has run out of something; undefined for any other error. */
export function shortage(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error.code === "overloaded" ? error : undefined;
  const code = errorCode(error) ?? "";
  const words = Object.hasOwn(SHORTAGES, code) ? SHORTAGES[code]?.() : undefined;
  if (words === undefined) return undefined;
  return new Failure("overloaded", words, { cause: error, retryable: true, details: { reason: code } });
}

/** For whoever goes on without what cannot be read. @throws Failure `overloaded` for an error that a later try may not have */
export function refuseShortage(error: unknown): void {
  const lack = shortage(error);
  if (lack) throw lack;
}

/** Newer kernels tell how many are open without opening one more. */
function openFiles(): string {
  const count = statSync("/proc/self/fd", { throwIfNoEntry: false })?.size ?? 0;
  return count > 0
    ? `this process has ${count} files and connections open`
    : "this process has files and connections open";
}
