import { lineReader, type Piece } from "./code-words.ts";

/** Written in place of what a file tells its reader rather than its machine. */
const COMMENT = "[comment]";
export const WORDS = "[words]";

/** Words from which something is a sentence: with blanks in a text, joined in one; of a name; side by side in code. */
const TEXT_WORDS = 2;
const JOINED_WORDS = 4;
const NAME_WORDS = 3;
const BARE_WORDS = 3;

/** Words that stand side by side in code. */
const KEYWORDS = new Set(
  `abstract and as async await bool boolean by case catch char class const constexpr def default delete do double elif else
  end enum except explicit export extends extern final finally float fn for from func function get go if impl implements
  import in inline insert instanceof int interface internal into is join keyof lambda let long match mod module mut namespace
  new not null of on operator or order override package pass private protected pub public raise readonly record return
  satisfies sealed select set short signed sizeof static struct super switch template then throw throws trait try type
  typedef typename typeof union unsafe unsigned update use using val values var virtual void volatile when where while with
  yield`.split(/\s+/),
);

/**
 * Takes an arm's own words out of code: comments, texts with several words, words side by side. A name of several words
 * becomes a number, the same one everywhere, so that the code keeps its form. What stood in a file before stays: those
 * words are not the arm's. It cannot tell a sentence of single words from code.
 */
export class WordMask {
  readonly #known = new Set<string>();
  readonly #numbers = new Map<string, number>();

  /** Takes the lines of a file as they stood before, from the first on. */
  learner(path: string): (line: string) => void {
    const mask = this.#lineMask(path, (words) => {
      this.#known.add(words.trim());
      return words;
    });
    return (line) => void mask(line);
  }

  /** Takes the lines of a file as the arm left them, from the first on. */
  masker(path: string): (line: string) => string {
    return this.#lineMask(path, (words, kind) => {
      if (this.#known.has(words.trim())) return words;
      if (kind === "name") return `name_${this.#numberOf(words)}`;
      return kind === "comment" ? COMMENT : WORDS;
    });
  }

  #lineMask(path: string, replace: Replace): (line: string) => string {
    const read = lineReader(path);
    let row = 0;
    return (line) =>
      read(line)
        .map((piece) => {
          row = wordsInRow(row, piece);
          return replaced(piece, row, replace);
        })
        .join("");
  }

  #numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return number;
  }
}

type Replace = (words: string, kind: "words" | "name" | "comment") => string;

/** Texts with nothing but signs between them are read as one; `:` and `=` part the members of a record. */
function wordsInRow(row: number, { kind, text }: Piece): number {
  if (kind === "text") return row + wordsOf(text);
  return kind !== "code" || /[\p{L}\p{N}:=]/u.test(text) ? 0 : row;
}

function replaced({ kind, text }: Piece, row: number, replace: Replace): string {
  if (kind === "code") return text.replace(BARE, (bare) => bareReplaced(bare, replace));
  if (!/[\p{L}\p{N}]/u.test(text)) return text;
  if (kind === "text") return row >= JOINED_WORDS || isSentence(text) ? replace(text, "words") : text;
  return replace(text, kind === "comment" ? "comment" : "words");
}

/** Words side by side. Begins at a word's first character only, so that no character is looked at twice. */
const BARE = /(?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*(?:[ \t]+[\p{L}_$][\p{L}\p{N}_$]*)*/gu;

function bareReplaced(bare: string, replace: Replace): string {
  const own = bare.split(/[ \t]+/).filter((word) => !KEYWORDS.has(word.toLowerCase()));
  if (own.length >= BARE_WORDS) return replace(bare, "words");
  return bare.replace(/[^ \t]+/g, (name) =>
    wordsOf(name) >= NAME_WORDS || isDense(name) ? replace(name, "name") : name,
  );
}

function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  return words.length >= TEXT_WORDS || wordsOf(text) >= JOINED_WORDS || isDense(text);
}

/** Signs of which each is a syllable or a word, or so many without a gap that they are a text in disguise. */
const isDense = (text: string) => /\p{Lo}{2}|\p{L}{21}|[\p{L}\p{N}]{40}/u.test(text);

/** Words of two letters or more, parted by signs or told by capitals, whichever are more. */
function wordsOf(text: string): number {
  const parted = text.split(/[^\p{L}\p{N}]+/u).filter((part) => /\p{L}/u.test(part) && part.length > 1);
  const told = text.match(/\p{Lu}?\p{Ll}{2,}|\p{Lu}\p{Ll}|\p{Lu}{2,}/gu) ?? [];
  return Math.max(parted.length, told.length);
}
