/** Bytes of one message. Useful ones have some kilobytes; the SDK has the same limit. */
export const LINE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * The lines of a stream of bytes. A line longer than `limit` is dropped and reported to `tooLong`, and reading goes on
 * behind it. Memory never grows beyond the limit.
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  tooLong: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  const line = new Line(limit);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      start = end + 1;
      const whole = line.take();
      if (whole) yield whole;
      else tooLong();
    }
    line.add(chunk.subarray(start));
  }
}

/** A line that arrives in pieces. */
class Line {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#limit) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** Ends the line and returns it; undefined when it was too long. */
  take(): Uint8Array | undefined {
    const whole = this.#bytes > this.#limit ? undefined : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return whole;
  }
}
