import { isKeyword, NAME, WORDS } from "./word-mask.ts";

/** So many words in a row say something to a reader, whatever signs part them: calls, keys, members, a line for each. */
const ROW_WORDS = 3;

/** A word, what stands in place of words, or the end of a statement. */
const PART = new RegExp(`${RegExp.escape(WORDS)}|;|${NAME.source}`, "gu");

/** Where a word stands. */
interface Place {
  readonly line: number;
  readonly at: number;
  readonly word: string;
}

type Statement = readonly Place[];

/**
 * Finds words that an arm sets side by side only to be read: the files before do not hold them, and the masked code has them in one
 * company, or in rows, alone. Code uses its names, so that each stands beside several others, and once with few.
 */
export class WordRows {
  /** Words that the judge reads anyway. They make no row without others. */
  readonly #read: Set<string>;
  readonly #known = new Set<string>();
  /** The word before each word; null: there are several. */
  readonly #company = new Map<string, string | null>();
  /** Words that stand among few others somewhere. */
  readonly #used = new Set<string>();
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
    for (const statement of statementsIn([line])) {
      for (const group of this.#groups(statement, (word) => !this.#known.has(word))) {
        const counted = group.filter(({ word }) => counts(word));
        for (const { word } of counted) this.#meet(word, statement.length > 1 && counted.length < ROW_WORDS);
      }
    }
  }

  #meet(word: string, used: boolean): void {
    if (used) this.#used.add(word);
    if (word === this.#last) return;
    const before = this.#company.get(word);
    this.#company.set(word, before === undefined || before === this.#last ? this.#last : null);
    this.#last = word;
  }

  /** The masked lines of a file with a name in place of each word of a row. */
  hide(lines: readonly string[], nameFor: (word: string) => string): readonly string[] {
    const hidden = this.#rowsIn(statementsIn(lines)).toArray().flat();
    const places = Map.groupBy(
      hidden.filter(({ word }) => !isHidden(word)),
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

  /** Rows of one statement, and rows of statements of one word each. */
  *#rowsIn(statements: Iterable<Statement>): Generator<Statement> {
    let alone: Place[] = [];
    for (const statement of statements) {
      const groups = this.#groups(statement, (word) => this.#isOnlySaid(word));
      if (groups.length === 1 && statement.filter(({ word }) => counts(word)).length <= 1) {
        for (const place of statement) alone.push(place);
        continue;
      }
      yield this.#said(alone);
      yield* groups.map((group) => this.#said(group));
      alone = [];
    }
    yield this.#said(alone);
  }

  /** The words of a statement, parted by those that are no part of a row. Words that any text and any code needs are in each. */
  #groups(statement: Statement, isPart: (word: string) => boolean): readonly Statement[] {
    const groups: Place[][] = [[]];
    for (const place of statement) {
      if (!counts(place.word) || isPart(place.word)) groups.at(-1)?.push(place);
      else groups.push([]);
    }
    return groups;
  }

  /** The row without what code has around it; empty: too few words for a sentence, or only words that the judge reads anyway. */
  #said(row: Statement): Statement {
    const counted = row.filter(({ word }) => counts(word));
    const said = row.slice(row.indexOf(counted[0] as Place), row.lastIndexOf(counted.at(-1) as Place) + 1);
    const own = counted.filter(({ word }) => !this.#read.has(word.toLowerCase()));
    const told = said.filter(({ word }) => word.length > 1 && !isHidden(word));
    const isSentence = told.length >= ROW_WORDS && own.some(({ word }) => !isHidden(word));
    return isSentence || own.length > ROW_WORDS ? said : [];
  }

  #isOnlySaid(word: string): boolean {
    return word === WORDS || (!this.#known.has(word) && (this.#company.get(word) !== null || !this.#used.has(word)));
  }
}

/** What stands in place of words. */
const isHidden = (word: string): boolean => word === WORDS || /^name_\d+$/.test(word);

const counts = (word: string): boolean => word.length > 1 && word !== "comment" && !isKeyword(word);

function* statementsIn(lines: readonly string[]): Generator<Statement> {
  for (const [line, text] of lines.entries()) {
    let statement: Place[] = [];
    for (const { 0: word, index: at } of text.matchAll(PART)) {
      if (word !== ";") statement.push({ line, at, word });
      else {
        yield statement;
        statement = [];
      }
    }
    yield statement;
  }
}
