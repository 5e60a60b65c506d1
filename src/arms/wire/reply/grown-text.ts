/** Pieces that are joined at once. */
const MOST_PIECES = 1_000;

/** A text that arrives in pieces, however small they are. Joined one by one, each of some characters would take a hundred bytes. */
export class GrownText {
  #text = "";
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length === MOST_PIECES) this.whole();
  }

  whole(): string {
    if (this.#pieces.length > 0) this.#text += this.#pieces.join("");
    this.#pieces = [];
    return this.#text;
  }
}
