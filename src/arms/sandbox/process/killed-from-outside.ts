import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../domain/failure.ts";
import { isEnding } from "../../../runtime/told-to-end.ts";

/** Signals that a program brings on itself, by a fault of its own or by going beyond a limit. */
const OWN: ReadonlySet<string> = new Set([
  ...["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGPIPE"],
  ...["SIGSYS", "SIGTRAP", "SIGXCPU", "SIGXFSZ"],
]);

/** Whether whoever ends processes from outside may have sent it. */
export const isForeign = (signal: string | null): signal is string => signal !== null && !OWN.has(signal);

/** Milliseconds within which a signal to a whole group reaches this process, too, and looks in that time. */
const REACH_MS = 100;
const LOOKS = 10;

/**
 * Why a program that ended by a signal ended by the one that told this process to end; undefined for every other end.
 * @param exit_code 128 + the signal's number, whoever tells it
 */
export async function findSharedSignal(exit_code: number): Promise<string | undefined> {
  const signal = Object.entries(constants.signals).find(([, number]) => 128 + number === exit_code)?.[0] ?? null;
  if (!isForeign(signal)) return undefined;
  for (let looks = 0; !isEnding() && looks < LOOKS; looks += 1) await sleep(REACH_MS / LOOKS);
  return isEnding() ? `${signal} ended it in the moment in which abeval was told to stop` : undefined;
}

/** @param how what was seen, as in "a command was killed from outside: <how>" */
export const killedFromOutside = (how: string): Failure =>
  new Failure(
    "killed_from_outside",
    `What ran here was killed from outside: ${how}. Neither arm is to blame, and nothing was judged; run it again.`,
    { retryable: true },
  );
