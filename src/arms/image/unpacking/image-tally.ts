import { ImageFault } from "../image-fault.ts";

/** What one image may hold. */
export interface ImageLimits {
  /** The bytes of all files in its layers, also of those that a later layer removes. */
  readonly bytes: number;
  /** Files, directories, links and removals of all layers, and what a layer keeps of a directory that it empties. */
  readonly entries: number;
}

export const IMAGE_LIMITS: ImageLimits = { bytes: 32_000_000_000, entries: 1_500_000 };

/** What all layers of an image hold so far. */
export class ImageTally {
  readonly #limits: ImageLimits;
  #bytes = 0;
  #entries = 0;

  constructor(limits: ImageLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get entries(): number {
    return this.#entries;
  }

  /** @throws ImageFault beyond the limit */
  addEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      throw new ImageFault(`holds more than ${this.#limits.entries} files, directories and links`);
  }

  /** @throws ImageFault beyond a limit, or for a size that is no number */
  addFile(size: number): void {
    this.addEntry();
    this.#bytes += size;
    if (!(this.#bytes <= this.#limits.bytes)) throw new ImageFault(`holds more than ${this.#limits.bytes / 1e9} GB`);
  }
}
