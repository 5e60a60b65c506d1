import type { Pace } from "../../runtime/pace.ts";
import { type Exchange, type Header, MAX_LINE_BYTES, type PartLine } from "./lines.ts";

/** Characters that are encoded in one step. */
const STEP_CHARS = 512 * 1024;

/** The values as lines of a recording. @throws Error for a line that is too long. */
export async function writtenLines(values: readonly (Header | PartLine | Exchange)[], pace: Pace): Promise<Buffer[]> {
  const written: Buffer[] = [];
  let waiting = "";
  for (const value of values) {
    let bytes = 0;
    for (const piece of jsonOf(value)) {
      bytes += Buffer.byteLength(piece);
      if (bytes > MAX_LINE_BYTES) throw tooLarge();
      waiting += piece;
      if (waiting.length < STEP_CHARS) continue;
      written.push(Buffer.from(waiting));
      waiting = "";
      await pace.bytes(JSON_COST * STEP_CHARS);
    }
  }
  return [...written, Buffer.from(waiting)];
}

/** Bytes that are compared in the time in which a character is written as JSON. */
const JSON_COST = 4;

export const tooLarge = () => new Error("it is too large");

/** What can be long is the last field of each line. */
function* jsonOf(value: object): Generator<string> {
  const [name, long] = Object.entries(value).at(-1) ?? [];
  if (name === undefined || typeof long !== "string") return yield `${JSON.stringify(value)}\n`;
  yield JSON.stringify({ ...value, [name]: "" }).slice(0, -2);
  for (let from = 0; from < long.length; ) {
    const isHalf = HIGH_SURROGATE.test(long.charAt(from + STEP_CHARS - 1));
    const end = from + STEP_CHARS + (isHalf ? 1 : 0);
    yield JSON.stringify(long.slice(from, end)).slice(1, -1);
    from = end;
  }
  yield '"}\n';
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;
