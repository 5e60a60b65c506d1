/** Takes lines and counted bytes from a stream. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #cutShort: () => Error;
  #rest: Uint8Array = new Uint8Array();

  /** @param cutShort what is thrown when the stream ends too early, or a line does not end */
  constructor(stream: AsyncIterable<Uint8Array>, cutShort: () => Error) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#cutShort = cutShort;
  }

  /** Reads a line, without its newline. */
  async line(maxBytes: number): Promise<string> {
    for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
      if (end !== -1) return new TextDecoder().decode(this.#cut(end + 1).subarray(0, end));
      if (this.#rest.length > maxBytes) throw this.#cutShort();
      await this.#more();
    }
  }

  async take(bytes: number): Promise<Uint8Array> {
    while (this.#rest.length < bytes) await this.#more();
    return this.#cut(bytes);
  }

  async *pieces(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0) await this.#more();
      const piece = this.#cut(Math.min(left, this.#rest.length));
      left -= piece.length;
      yield piece;
    }
  }

  /** Has the stream clean up. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #cut(bytes: number): Uint8Array {
    const piece = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return piece;
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw this.#cutShort();
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }
}
