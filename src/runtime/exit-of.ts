import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";

/**
 * How a process ends: its status or, as a shell tells of a signal, 128 and the signal's number. Asked for where the process
 * is started. Rejects with what the system says when it could not be started.
 */
export async function exitOf(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.once("exit", (status, signal) => resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  return await promise;
}
