import { isKeyword, NAME, WORDS } from "./word-mask.ts";

/** So many words in a row say something to a reader, whatever signs part them: calls, keys, members, a line for each. */
const ROW_WORDS = 4;

/** A word, what stands in place of words, or the end of a statement. */
const PART = new RegExp(`${RegExp.escape(WORDS)}|;|${NAME.source}`, "gu");

/** Where a word stands. */
interface Place {
  readonly line: number;
  readonly at: number;
  readonly word: string;
}

/**
 * Finds words that an arm sets side by side only to be read: the files before do not hold them, and the masked code has them in one
 * company alone. Code uses its names, so that each stands beside several others.
 */
export class WordRows {
  /** Words that the judge reads anyway. They neither make a row nor part one. */
  readonly #read: Set<string>;
  readonly #known = new Set<string>();
  /** The word before each word; null: there are several. */
  readonly #company = new Map<string, string | null>();
  #last = "";

  constructor(read: string) {
    this.#read = new Set(read.toLowerCase().match(NAME));
  }

  /** Learns the words of a file before the change. */
  learn(line: string): void {
    for (const word of line.match(NAME) ?? []) this.#known.add(word);
  }

  /** Learns in which company the words of a masked line stand; takes the lines of all files. */
  meet(line: string): void {
    for (const word of line.match(PART) ?? []) {
      if (!this.#counts(word) || word === this.#last) continue;
      const before = this.#company.get(word);
      this.#company.set(word, before === undefined || before === this.#last ? this.#last : null);
      this.#last = word;
    }
  }

  /** The masked lines of a file with a name in place of each word of a row. */
  hide(lines: readonly string[], nameFor: (word: string) => string): readonly string[] {
    const hidden = rowsIn(this.#statements(lines)).flat();
    const places = Map.groupBy(
      hidden.filter(({ word }) => word !== WORDS && !/^name_\d+$/.test(word)),
      ({ line }) => line,
    );
    return lines.map((text, line) => {
      let [plain, end] = ["", 0];
      for (const { at, word } of places.get(line) ?? []) {
        plain += text.slice(end, at) + nameFor(word);
        end = at + word.length;
      }
      return plain + text.slice(end);
    });
  }

  /** Statements by the groups of words in them that are only said. */
  *#statements(lines: readonly string[]): Generator<readonly (readonly Place[])[]> {
    for (const [line, text] of lines.entries()) {
      let groups: Place[][] = [[]];
      for (const { 0: word, index: at } of text.matchAll(PART)) {
        if (word !== ";") this.#add(groups, { line, at, word });
        else {
          yield groups;
          groups = [[]];
        }
      }
      yield groups;
    }
  }

  #add(groups: Place[][], place: Place): void {
    if (!this.#counts(place.word)) return;
    if (this.#isOnlySaid(place.word)) groups.at(-1)?.push(place);
    else groups.push([]);
  }

  #counts(word: string): boolean {
    return word.length > 1 && word !== "comment" && !isKeyword(word) && !this.#read.has(word.toLowerCase());
  }

  #isOnlySaid(word: string): boolean {
    return word === WORDS || (!this.#known.has(word) && this.#company.get(word) !== null);
  }
}

/** Rows of one statement, and rows of statements of one word each. */
function rowsIn(statements: Iterable<readonly (readonly Place[])[]>): (readonly Place[])[] {
  const rows: (readonly Place[])[] = [];
  let alone: Place[] = [];
  for (const groups of statements) {
    const [first = []] = groups;
    const isAlone = groups.length === 1 && first.length <= 1;
    if (isAlone) alone.push(...first);
    else {
      rows.push(alone, ...groups);
      alone = [];
    }
  }
  return [...rows, alone].filter(({ length }) => length >= ROW_WORDS);
}
