/** Columns that a table may have. */
export const MAX_COLUMNS = 1_000;

/** Characters of one record. */
const MAX_RECORD = 8 * 1024 * 1024;

export const tooLong = (limit: number) => `has more than ${limit} characters; shorten its values`;

/** What is wrong with a record, and the line that begins it. */
interface Excess {
  readonly why: string;
  readonly line: number;
}

/** A CSV parser keeps a record until it ends. Here it is measured before that, as far as it was read. */
export class RecordLimits {
  readonly #end: string;
  #line = 1;
  #begun = 1;
  #values = 1;
  #chars = 0;
  #isQuoted = false;

  /** @param end the character that ends a line */
  constructor(end: string) {
    this.#end = end;
  }

  /** The first record that is too long in what follows; undefined where none is yet. */
  passedIn(slice: string): Excess | undefined {
    for (const char of slice) {
      this.#count(char);
      if (this.#values > MAX_COLUMNS)
        return {
          why: `has more than ${MAX_COLUMNS} values; a table has ${MAX_COLUMNS} columns at most`,
          line: this.#begun,
        };
      if (this.#chars > MAX_RECORD) return { why: tooLong(MAX_RECORD), line: this.#begun };
    }
    return undefined;
  }

  #count(char: string): void {
    this.#chars += 1;
    if (char === '"') this.#isQuoted = !this.#isQuoted;
    if (char === "," && !this.#isQuoted) this.#values += 1;
    if (char !== this.#end) return;
    this.#line += 1;
    if (!this.#isQuoted) [this.#begun, this.#values, this.#chars] = [this.#line, 1, 0];
  }
}
