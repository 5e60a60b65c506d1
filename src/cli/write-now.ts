import { writeSync } from "node:fs";

/**
 * Writes to stdout or stderr without their streams, whose set-up takes a tenth of a start. Blocks while a reader is slow, so
 * it is only for what is said before there is other work.
 * @returns the part that was not written: all of it when the reader is gone
 */
export function writeNow(descriptor: 1 | 2, text: string): Uint8Array {
  let left: Uint8Array = Buffer.from(text);
  try {
    while (left.length > 0) left = left.subarray(writeSync(descriptor, left));
  } catch {
    // The result is what is left.
  }
  return left;
}
