import { foldedLine, isLetterRow, isSpelled, lettersOf, SPELLED_LETTERS, withSpelledRuns } from "./fold.ts";
import { lineReader, type Piece } from "./line-reader.ts";

/** Written in place of words for a reader. */
const COMMENT = "[comment]";
export const WORDS = "[words]";

/** Words that make a sentence: parted by blanks, joined without blanks, in a name, side by side in code. */
const TEXT_WORDS = 2;
const JOINED_WORDS = 4;
const NAME_WORDS = 3;
const BARE_WORDS = 3;

/** Words that code sets side by side. */
const KEYWORDS = new Set(
  `abstract and as async await bool boolean by case catch char class const constexpr def default delete do double elif else
  end enum except explicit export extends extern final finally float fn for from func function get go if impl implements
  import in inline insert instanceof int interface internal into is join keyof lambda let long match mod module mut namespace
  new not null of on operator or order override package pass private protected pub public raise readonly record return
  satisfies sealed select set short signed sizeof static struct super switch template then throw throws trait try type
  typedef typename typeof union unsafe unsigned update use using val values var virtual void volatile when where while with
  yield`.split(/\s+/),
);

/** Whether code needs the word. */
export const isKeyword = (word: string): boolean => KEYWORDS.has(word.toLowerCase());

/**
 * Takes an arm's own words out of code: comments, texts of several words, words side by side. A long name becomes a number,
 * everywhere the same, so that the code keeps its form. Words of the file before and names that the prompt gives stay: they are not the arm's. It cannot
 * tell a sentence of single words from code.
 */
export class WordMask {
  /** Words and long names that are not the arm's. */
  readonly #known: Set<string>;
  readonly #numbers = new Map<string, number>();

  /** A text that the judge reads anyway. */
  constructor(read: string) {
    this.#known = new Set((read.match(NAME) ?? []).filter(isLongName));
  }

  /** Learns the words of a file before the change; takes its lines from the first on. */
  learner(path: string): (line: string) => void {
    const mask = this.#lineMask(path, (words) => {
      this.#known.add(words.trim());
      return words;
    });
    return (line) => void mask(line);
  }

  /** Masks a file as the arm left it; takes its lines from the first on. */
  masker(path: string): (line: string) => string {
    return this.#lineMask(path, (words, kind) => {
      if (this.#known.has(words.trim())) return words;
      if (kind === "name") return this.nameFor(words);
      return kind === "comment" ? COMMENT : WORDS;
    });
  }

  #lineMask(path: string, replace: Replace): (line: string) => string {
    const read = lineReader(path);
    let row = 0;
    return (line) => {
      const masked = read(foldedLine(line))
        .map((piece) => {
          row = wordsInRow(row, piece);
          return replaced(piece, row, replace);
        })
        .join("");
      // The letters may stand in texts of their own.
      const shown = withSpelledRuns(masked, (run) => replace(run, "words"));
      return isRestOfProse(shown) ? WORDS : shown;
    };
  }

  /** What stands in place of a name, everywhere the same. */
  nameFor(name: string): string {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return `name_${number}`;
  }
}

type Replace = (words: string, kind: "words" | "name" | "comment") => string;

/** Texts with only signs between them count as one. `:` and `=` part the members of a record. */
function wordsInRow(row: number, { kind, text }: Piece): number {
  if (kind === "text") return row + wordsOf(text);
  return kind !== "code" || /[\p{L}\p{N}:=]/u.test(text) ? 0 : row;
}

function replaced({ kind, text }: Piece, row: number, replace: Replace): string {
  if (kind === "code") return text.replace(BARE, (bare) => bareReplaced(bare, replace));
  if (!/[\p{L}\p{N}\u2801-\u28ff]/u.test(text)) return text;
  if (kind === "text") return row >= JOINED_WORDS || isSentence(text) ? replace(text, "words") : text;
  return replace(text, kind === "comment" ? "comment" : "words");
}

export const NAME = /[\p{L}\u2801-\u28ff_$][\p{L}\u2801-\u28ff\p{N}_$]*/gu;

/** Words side by side. A match begins only at a word's first character, so that no character is read twice. */
const BARE =
  /(?<![\p{L}\u2801-\u28ff\p{N}_$])[\p{L}\u2801-\u28ff_$][\p{L}\u2801-\u28ff\p{N}_$]*(?:[ \t]+[\p{L}\u2801-\u28ff_$][\p{L}\u2801-\u28ff\p{N}_$]*)*/gu;

function bareReplaced(bare: string, replace: Replace): string {
  const own = bare.split(/[ \t]+/).filter((word) => !isKeyword(word));
  if (own.length >= BARE_WORDS) return replace(bare, "words");
  return bare.replace(NAME, (name) => (isLongName(name) ? replace(name, "name") : name));
}

const isLongName = (name: string) => wordsOf(name) >= NAME_WORDS || isDense(name);

/** No sign of code stands beside words that were taken out, so that what is left belongs to them. */
function isRestOfProse(shown: string): boolean {
  if (!shown.includes(WORDS)) return false;
  const rest = shown.replaceAll(WORDS, "");
  return !/[=:;"'`(){}<>+*&|/\\@$[\]]/.test(rest) && (rest.match(NAME) ?? []).some((word) => !isKeyword(word));
}

/** The lines without those that spell words over several lines, a few letters on each. */
export function withoutLetterRows(lines: readonly string[]): readonly string[] {
  const plain = [...lines];
  let row: number[] = [];
  let letters = 0;
  const close = () => {
    if (letters >= SPELLED_LETTERS) for (const at of row) plain[at] = WORDS;
    [row, letters] = [[], 0];
  };
  for (const [at, line] of lines.entries()) {
    if (isLetterRow(line)) {
      row.push(at);
      letters += Math.max(1, lettersOf(line).length);
    } else if (/\p{L}/u.test(line)) close();
  }
  close();
  return plain;
}

function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  return words.length >= TEXT_WORDS || wordsOf(text) >= JOINED_WORDS || isDense(text) || CODES.test(text);
}

/** Numbers, or pairs of letters, in a row: each may stand for a letter. */
const CODES = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:[\\p{L}\\p{N}]+[^\\p{L}\\p{N}]+){${SPELLED_LETTERS - 1},}[\\p{L}\\p{N}]`,
  "u",
);

/** Letters of a script without blanks, Braille, single letters in a row, or so many without a gap that they are a disguised text. */
const isDense = (text: string) => /[\p{Lo}\u2801-\u28ff]{2}|\p{L}{21}|[\p{L}\p{N}]{40}/u.test(text) || isSpelled(text);

/** Words of two letters or more, parted by signs or by capitals, whichever are more. */
function wordsOf(text: string): number {
  const parted = text.split(/[^\p{L}\p{N}]+/u).filter((part) => /\p{L}/u.test(part) && part.length > 1);
  const told = text.match(/\p{Lu}?\p{Ll}{2,}|\p{Lu}\p{Ll}|\p{Lu}{2,}/gu) ?? [];
  return Math.max(parted.length, told.length);
}
