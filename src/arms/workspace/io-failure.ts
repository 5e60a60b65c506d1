import { errorCode, Failure, Mistake, wordsOf } from "../../domain/failure.ts";

/** Codes that no name, mode or kind of file can cause: the machine has run out of something, or is broken. */
const MACHINE_FAULTS = new Set([
  ...["EIO", "ENOMEM", "EMFILE", "ENFILE", "EROFS", "ENODEV", "ESTALE"],
  ...["ENOSPC", "EDQUOT", "EAGAIN"],
]);

/** True for an error that something in an arm's tree can cause; false for a fault of the machine. */
export function isOutOfReach(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && !MACHINE_FAULTS.has(code);
}

/** What went wrong with a path of an arm's tree: the arm's mistake, unless it is a fault of the machine. */
export function treeFault(what: string, error: unknown): unknown {
  if (error instanceof Failure || error instanceof Mistake) return error;
  if (isOutOfReach(error)) return new Mistake(`${what} (${errorCode(error)}).`);
  return errorCode(error) === undefined ? error : workspaceFailed(what, error);
}

/** A fault of the disk or of the fixture: never the arm's. */
export function workspaceFailed(what: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const why = errorCode(cause) ?? wordsOf(cause);
  return new Failure("workspace_failed", `${what}: ${why}`, { cause });
}

/** A tree is too large to be read or copied. The message is for whoever filled it. */
export class TreeTooLarge extends Mistake {}
