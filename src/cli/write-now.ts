import { writeSync } from "node:fs";

/**
 * Writes to stdout or stderr without their streams, whose set-up takes a tenth of a start. Waits for a slow reader, so it is
 * for what is said before there is other work.
 * @returns the part that was not taken: all of it when nobody reads any more.
 */
export function writeNow(descriptor: 1 | 2, text: string): Uint8Array {
  let left: Uint8Array = Buffer.from(text);
  try {
    while (left.length > 0) left = left.subarray(writeSync(descriptor, left));
  } catch {
    // Said by what is left.
  }
  return left;
}
