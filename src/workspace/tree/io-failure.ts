import { Failure } from "../../domain/failure.ts";

/** node's own word for what went wrong with a file; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** A fault of the disk or of the fixture: never the arm's. */
export function workspaceFailed(what: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const why = errorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
  return new Failure("workspace_failed", `${what}: ${why}`, { cause });
}
