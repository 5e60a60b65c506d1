import { fstatSync } from "node:fs";

/** Whether a person sees what is written to this descriptor. What asks the terminal is loaded only where there may be one. */
export function isTerminal(descriptor: 1 | 2): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(descriptor);
  } catch {
    // A descriptor that is closed is no terminal.
    return false;
  }
}

/** Cells of a line on stdout; `Infinity` where no person reads, for a program wants each sentence on one line. */
export const stdoutWidth = (): number =>
  isTerminal(1) ? (process.stdout.columns || 80) - 1 : Number.POSITIVE_INFINITY;
