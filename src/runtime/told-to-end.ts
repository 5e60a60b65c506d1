import { readFileSync } from "node:fs";
import { systemClock } from "./clock.ts";

/** Milliseconds for which what ends beside this process counts as ended by whoever told this process to end. */
const SPAN_MS = 5_000;

/** Signals are sent to the whole process, so that there is one such moment in it. */
let told_ms: number | undefined;

/** Remembers from now on when this process is told to end. It decides nothing: whoever calls it hears the signals, too. */
export function rememberEnd(): void {
  for (const name of ["SIGTERM", "SIGINT"] as const)
    process.on(name, () => {
      told_ms = systemClock.ticks();
    });
}

/** Whether this process was told to end a moment ago. */
export const isEnding = (): boolean => told_ms !== undefined && systemClock.ticks() - told_ms < SPAN_MS;

/** When the terminal went away. */
let hung_up_ms: number | undefined;

/** Milliseconds in which a terminal that goes away and whoever ends its session send their signals. */
const HANGUP_MS = 1_000;

/** Whether what arrives now belongs to a terminal that just went away: it is no second signal of somebody who cannot wait. */
export const isHangingUp = (): boolean => hung_up_ms !== undefined && systemClock.ticks() - hung_up_ms < HANGUP_MS;

/**
 * A terminal that goes away ends the process as SIGTERM does, so that what it began is stored. `nohup` ignores the signal, which a
 * handler would undo; where the system does not tell, the signal is left alone.
 */
export function endOnHangup(): void {
  if (isHangupIgnored()) return;
  process.on("SIGHUP", () => {
    if (hung_up_ms !== undefined || isEnding()) return;
    hung_up_ms = systemClock.ticks();
    process.kill(process.pid, "SIGTERM");
  });
}

function isHangupIgnored(): boolean {
  try {
    const [, mask = "1"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    // The first bit is that of SIGHUP.
    return (Number.parseInt(mask.slice(-1), 16) & 1) === 1;
  } catch {
    return true;
  }
}
