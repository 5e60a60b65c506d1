import { Failure } from "../../domain/failure.ts";
import { EXIT } from "./exit-code.ts";

/** The first Ctrl-C calls `stop`, so that what there is can be saved and told; the second ends the process. */
export function onInterrupt(stop: () => void): void {
  const first = () => {
    process.once("SIGINT", () => process.exit(EXIT.interrupted));
    process.once("SIGTERM", () => process.exit(EXIT.terminated));
    stop();
  };
  process.once("SIGINT", first);
  process.once("SIGTERM", first);
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
