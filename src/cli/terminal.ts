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
