import { type BoundedJson, type JsonLimits, readBoundedJsonInTurns } from "./bounded-json.ts";
import { lines } from "./lines.ts";
import { Pace } from "./pace.ts";

export interface JsonLine {
  /** From 1; lines that were too long are not counted. */
  readonly number: number;
  /** Valid until the next line is asked for. */
  readonly bytes: Uint8Array;
  readonly json: BoundedJson;
}

/** The lines of a stream, each counted before it is parsed. Others have their turn meanwhile. As `lines` for the rest. */
export async function* jsonLines(
  chunks: AsyncIterable<Uint8Array>,
  limits: JsonLimits,
  tooLong: (number: number) => void,
): AsyncGenerator<JsonLine, void, void> {
  const pace = new Pace();
  let number = 0;
  for await (const bytes of lines(chunks, limits.bytes, () => tooLong(number + 1))) {
    number += 1;
    yield { number, bytes, json: await readBoundedJsonInTurns(bytes, limits, pace) };
    await pace.bytes(bytes.length);
  }
}
