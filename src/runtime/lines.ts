import { type BoundedJson, boundedJsonInSteps, type JsonLimits } from "./bounded-json.ts";
import { Pace, steadily } from "./pace.ts";

/** Bytes of one message. Useful ones have some kilobytes; the SDK has the same limit. */
export const LINE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 0x0a;
const ENDS = { newline: NEWLINE, NUL: 0 } as const;

/**
 * The lines of a stream of bytes, or what else ends at a byte of its own. A line longer than `limit` is dropped, reported to `tooLong` as soon as it is, and reading
 * goes on behind it. Memory never grows beyond twice the limit, however small the chunks are. What follows the last newline
 * is no line. A line is valid until the next one is asked for.
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  tooLong: () => void,
  ends: keyof typeof ENDS = "newline",
): AsyncGenerator<Uint8Array, void, void> {
  const line = new Line(limit, tooLong);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(ENDS[ends]); end !== -1; end = chunk.indexOf(ENDS[ends], start)) {
      line.add(chunk.subarray(start, end));
      start = end + 1;
      const whole = line.take();
      if (whole) yield whole;
    }
    line.add(chunk.subarray(start));
  }
}

/** The same bytes and a newline: to a peer that has closed its output, what follows the last newline is a line. */
export async function* terminated(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  yield* chunks;
  yield Uint8Array.of(NEWLINE);
}

/** A line that arrives in pieces. They are copied: one byte of a chunk would keep all of it in memory. */
class Line {
  readonly #limit: number;
  readonly #tooLong: () => void;
  #buffer = Buffer.alloc(0);
  #bytes = 0;

  constructor(limit: number, tooLong: () => void) {
    this.#limit = limit;
    this.#tooLong = tooLong;
  }

  add(piece: Uint8Array): void {
    const before = this.#bytes;
    this.#bytes += piece.length;
    if (this.#bytes <= this.#limit) this.#room(this.#bytes).set(piece, before);
    else if (before <= this.#limit) {
      this.#buffer = Buffer.alloc(0);
      this.#tooLong();
    }
  }

  /** Ends the line and returns it; undefined when it was too long. */
  take(): Uint8Array | undefined {
    const whole = this.#bytes > this.#limit ? undefined : this.#buffer.subarray(0, this.#bytes);
    if (this.#bytes > KEPT_BYTES) this.#buffer = Buffer.alloc(0);
    this.#bytes = 0;
    return whole;
  }

  #room(bytes: number): Buffer {
    if (bytes <= this.#buffer.length) return this.#buffer;
    const larger = Buffer.alloc(Math.min(this.#limit, Math.max(bytes, 2 * this.#buffer.length)));
    larger.set(this.#buffer);
    this.#buffer = larger;
    return larger;
  }
}

/** Bytes of a buffer that is used for the next line. */
const KEPT_BYTES = 64 * 1024;

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
    yield { number, bytes, json: await steadily(boundedJsonInSteps(bytes, limits), pace) };
    // Reading a byte of a short line takes as long as copying ten.
    await pace.bytes(10 * bytes.length);
  }
}
