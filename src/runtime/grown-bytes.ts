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

  /** A piece that is longer than a segment is kept as it is: nobody may change it. */
  add(piece: Uint8Array): void {
    if (piece.length > this.#segment.length - this.#used) this.#begin(piece.length);
    const isLong = piece.length > SEGMENT_BYTES;
    if (isLong) this.#keep(piece);
    else this.#segment.set(piece, this.#used);
    this.#used += isLong ? 0 : piece.length;
  }

  /** All of them; none are left. */
  take(): Uint8Array {
    const parts = this.takeParts();
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** The same in parts, each of whole pieces. */
  takeParts(): readonly Uint8Array[] {
    this.#begin(0);
    this.#full_bytes = 0;
    return this.#full.splice(0);
  }

  drop(): void {
    this.takeParts();
  }

  /** Ends a segment, whose place serves the next one unless that grows. */
  #begin(bytes: number): void {
    if (this.#used > 0) this.#keep(this.#segment.slice(0, this.#used));
    this.#used = 0;
    const length = Math.min(SEGMENT_BYTES, 2 * Math.max(bytes, this.#segment.length));
    if (bytes > 0 && length > this.#segment.length) this.#segment = new Uint8Array(length);
  }

  #keep(bytes: Uint8Array): void {
    this.#full.push(bytes);
    this.#full_bytes += bytes.length;
  }
}

/** All of a stream. @throws what `tooLarge` makes, once it has more than `most` bytes */
export async function readWhole(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
  tooLarge: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const whole = new GrownBytes();
  for await (const chunk of chunks) {
    if (whole.length + chunk.length > most) throw tooLarge();
    whole.add(chunk);
  }
  return Buffer.concat(whole.takeParts());
}
