import { Failure, Mistake } from "../../domain/failure.ts";

/** node's own word for what went wrong with a file; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** No name, mode or kind of file brings these about: the machine is at its end, or broken. */
const MACHINE_FAULTS = new Set([
  ...["EIO", "ENOMEM", "EMFILE", "ENFILE", "EROFS", "ENODEV", "ESTALE"],
  ...["ENOSPC", "EDQUOT", "EAGAIN"],
]);

/** Whatever an arm made of its tree may stand in the way of its reader; that is no fault of the machine. */
export function isOutOfReach(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && !MACHINE_FAULTS.has(code);
}

/** What went wrong with a path of an arm's tree: a mistake of the arm's unless the machine is at its end. */
export function treeFault(what: string, error: unknown): unknown {
  if (error instanceof Failure || error instanceof Mistake) return error;
  if (isOutOfReach(error)) return new Mistake(`${what} (${errorCode(error)}).`);
  return errorCode(error) === undefined ? error : workspaceFailed(what, error);
}

/** A fault of the disk or of the fixture: never the arm's. */
export function workspaceFailed(what: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const why = errorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
  return new Failure("workspace_failed", `${what}: ${why}`, { cause });
}
