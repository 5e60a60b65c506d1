import { Failure, type FailureCode } from "../../domain/failure.ts";
import { plainText } from "../../domain/plain-text.ts";
import { shortage } from "../../domain/shortage.ts";
import { endOnHangup, isHangingUp, rememberEnd } from "../../runtime/told-to-end.ts";
import { UsageError } from "./flags/parse-arguments.ts";

/** The only table of exit statuses. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  invalid: 3,
  preferred: 4,
  alarm: 5,
  interrupted: 130,
  terminated: 143,
} as const;

/**
 * Runs a command to its exit status. What it refuses is told on stderr.
 * @param name as in `abeval run`
 */
export async function exitCodeOfCommand(name: string, run: () => Promise<number>): Promise<number> {
  endOnHangup();
  try {
    return await run();
  } catch (thrown) {
    const error = shortage(thrown) ?? thrown;
    if (error instanceof UsageError) return complain(`${error.message}\nSee: ${name} --help`, EXIT.usage);
    if (error instanceof Failure) return complain(error.message, exitCodeBeforeStart(error.code));
    throw error;
  }
}

/** A refusal before anything was spent is the caller's mistake; an internal error, or a lack of the machine, is not. */
const exitCodeBeforeStart = (code: FailureCode) =>
  code === "internal" || code === "overloaded" ? EXIT.failed : EXIT.usage;

/** Tells a problem on stderr. @returns the status */
export function complain(message: string, status: number): number {
  process.stderr.write(`abeval: ${plainText(message)}\n`);
  return status;
}

/** The first signal calls `stop`, so that what there is can be told; the second ends the process. Ctrl-C cancels, SIGTERM interrupts: nobody chose what it hits. */
export function onInterrupt(what: "run" | "series", stop: (reason: Failure) => void): void {
  rememberEnd();
  const first = (code: "cancelled" | "interrupted") => () => {
    process.once("SIGINT", () => process.exit(EXIT.interrupted));
    process.on("SIGTERM", () => void (isHangingUp() || process.exit(EXIT.terminated)));
    stop(new Failure(code, `The ${what} was interrupted.`, { retryable: code === "interrupted" }));
  };
  process.once("SIGINT", first("cancelled"));
  process.once("SIGTERM", first("interrupted"));
}

/** Ctrl-C stops the commands of the checks and removes what they left. */
export async function unlessInterrupted(check: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const stopped = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => stopped.abort(new Failure("cancelled", "The check was interrupted.")));
  try {
    return await check(stopped.signal);
  } catch (error) {
    if (stopped.signal.aborted && error === stopped.signal.reason) return EXIT.interrupted;
    throw error;
  }
}
