import { writeSync } from "node:fs";

/** Writes to stdout or stderr without their streams, whose set-up takes a tenth of a start. False when it cannot be written. */
export function writeNow(descriptor: 1 | 2, text: string): boolean {
  try {
    writeSync(descriptor, text);
    return true;
  } catch {
    return false;
  }
}
