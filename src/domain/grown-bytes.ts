/** Bytes of the first segment, and of the largest. */
const START_BYTES = 1024;
const SEGMENT_BYTES = 64 * 1024;

/** Bytes that arrive in pieces, however small they are. They take little more memory than they are. */
export class GrownBytes {
  readonly #full: Uint8Array[] = [];
  #full_bytes = 0;
  #segment = new Uint8Array(START_BYTES);
  #used = 0;

  get length(): number {
    return this.#full_bytes + this.#used;
  }

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#used === this.#segment.length) this.#begin();
      const part = piece.subarray(at, at + this.#segment.length - this.#used);
      this.#segment.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
    }
  }

  /** All of them; none are left. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    let at = 0;
    for (const segment of this.#full) {
      bytes.set(segment, at);
      at += segment.length;
    }
    bytes.set(this.#segment.subarray(0, this.#used), at);
    this.drop();
    return bytes;
  }

  drop(): void {
    this.#full.length = 0;
    this.#full_bytes = 0;
    this.#used = 0;
  }

  #begin(): void {
    this.#full.push(this.#segment);
    this.#full_bytes += this.#segment.length;
    this.#segment = new Uint8Array(Math.min(SEGMENT_BYTES, 2 * this.#segment.length));
    this.#used = 0;
  }
}
