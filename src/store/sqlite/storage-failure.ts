import { closeSync, openSync } from "node:fs";
import { errorCode, Failure, wordsOf } from "../../domain/failure.ts";
import { shortage } from "../../domain/shortage.ts";

/** A SQLite or file system error in words, with what to do about it. */
export function storageFailure(error: unknown, subject: string): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error) ?? "";
  if (NO_SPACE.has(code))
    return new Failure("storage_full", `no space left for ${subject}: free some and try again`, {
      cause: error,
      retryable: true,
    });
  // That its own disk takes no writes says more of this directory than of the machine.
  const lack = code === "EROFS" ? undefined : shortage(code.startsWith("SQLITE_CANTOPEN") ? whyNothingOpens() : error);
  const why = lack?.message ?? explain(code, error);
  const passes = lack !== undefined || PASSING.test(code);
  return new Failure("storage_failed", `${subject}: ${why}`, {
    ...(code !== "EROFS" && { cause: lack ?? error }),
    ...(passes && { retryable: true, details: { why } }),
  });
}

/** What ends when somebody else acts: lets go of a lock, makes room, makes a disk writable. */
const PASSING = /^(EROFS|SQLITE_(BUSY|READONLY|IOERR_(WRITE|FSYNC|TRUNCATE)))/;

/** Whether another process keeps the database locked, as SQLite says it or as a failure that it caused. */
export const isLocked = (error: unknown): boolean =>
  errorCode(error instanceof Failure ? error.cause : error)?.startsWith("SQLITE_BUSY") === true;

/** SQLite does not say why a file cannot be opened; any other file has the same trouble when the machine lacks something. */
function whyNothingOpens(): unknown {
  try {
    return closeSync(openSync("/dev/null", "r"));
  } catch (error) {
    return error;
  }
}

/** @throws Failure in place of whatever `work` throws. */
export function guarded<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageFailure(error, subject);
  }
}

/** The same of work that takes several turns of the event loop. */
export async function guardedWhile<T>(subject: string, work: () => Promise<T>): Promise<T> {
  return await work().catch((error: unknown) => {
    throw storageFailure(error, subject);
  });
}

/** The last is SQLite's word when its shared memory file cannot grow. */
const NO_SPACE: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"]);

const ELSEWHERE = "make it writable, or name another with --state-dir";

function explain(code: string, error: unknown): string {
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT"))
    return "the database is damaged and was left as it is; move sessions.db aside to start a new one (sessions/*.json hold each outcome)";
  if (code === "EROFS" || code.startsWith("SQLITE_READONLY")) return `the directory is read-only: ${ELSEWHERE}`;
  if (code === "EACCES" || code === "EPERM") return `no permission to write here: ${ELSEWHERE}`;
  if (code === "ENOTDIR" || code === "EEXIST") return "is not a directory";
  if (code.startsWith("SQLITE_CANTOPEN")) return "the database cannot be opened; is this a writable directory?";
  if (isLocked(error)) return "another process keeps the database locked: let it end, then try again";
  if (PASSING.test(code))
    return `its disk refuses to be written (${code}): is it whole, has it room, does ulimit -f limit its files? Then try again`;
  return wordsOf(error);
}
