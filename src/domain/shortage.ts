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
  EROFS: () => "a disk of this machine is read-only: make it writable (TMPDIR says where temporary files lie)",
  EFBIG: () => "a file has grown as large as this process may make it (ulimit -f): raise that limit",
};

/**
 * Why a file could not be read or written, when the machine has run out of something, also if somebody has said in other words
 * what failed thereby; undefined for any other error. A store that is full says so itself.
 */
export function shortage(error: unknown): Failure | undefined {
  if (error instanceof Failure) return shortageBehind(error);
  const code = errorCode(error) ?? "";
  const words = Object.hasOwn(SHORTAGES, code) ? SHORTAGES[code]?.() : undefined;
  if (words === undefined) return undefined;
  return new Failure("overloaded", words, { cause: error, retryable: true, details: { reason: code } });
}

function shortageBehind(failure: Failure): Failure | undefined {
  if (failure.code === "overloaded") return failure;
  const lack = failure.code === "storage_full" ? undefined : shortage(failure.cause);
  // What a store says names its directory.
  if (lack === undefined || failure.code === "storage_failed") return lack;
  const { cause, details = {} } = lack;
  const said = failure.message.replace(new RegExp(`: (${details["reason"]}|${RegExp.escape(lack.message)})$`), "");
  return new Failure("overloaded", `${said}: ${lack.message}`, { cause, retryable: true, details });
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
