/** Bytes kept of each end of what a program prints. */
const END_BYTES = 16 * 1024;

/** Reads a stream to its end and keeps its beginning and its end, whatever it prints. */
export class PrintedEnds {
  readonly done: Promise<void>;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #bytes = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    // A stream that breaks off has been read as far as it came.
    this.done = this.#read(stream).catch(() => undefined);
  }

  /** What was kept so far, with a line for what was not. */
  get text(): string {
    const left_out = this.#bytes - this.#head.length - this.#tail.length;
    const note = left_out > 0 ? `\n[... ${left_out} bytes left out ...]\n` : "";
    return `${this.#head}${note}${this.#tail}`;
  }

  async #read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of stream) {
      this.#bytes += chunk.byteLength;
      const room = END_BYTES - this.#head.length;
      if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
      const rest = chunk.subarray(Math.max(0, room)).slice(-END_BYTES);
      this.#tail = Buffer.concat([this.#tail, rest]).subarray(-END_BYTES);
    }
  }
}
