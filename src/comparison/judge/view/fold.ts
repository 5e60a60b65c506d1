import { INVISIBLE } from "./clean-text.ts";

/** A copy of a text in which disguised words are plain, and the way back to the text. The copy is for matching only. */
interface Folded {
  readonly text: string;
  /** Where the stretch from `start` to before `end` of the copy stands in the original; `start` < `end`. */
  span(start: number, end: number): readonly [start: number, end: number];
}

/** Greek, Cyrillic and other letters that look like a Latin one: the common ones of thousands. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "аɑαΑА",
  b: "вβΒВ",
  c: "сςС",
  d: "ԁ",
  e: "еεΕЕ",
  g: "ɡ",
  h: "һнΗН",
  i: "іıιΙІ",
  j: "јϳЈ",
  k: "кκΚК",
  l: "ӏ",
  m: "мΜМ",
  n: "пηΝ",
  o: "оοσΟО",
  p: "рρΡР",
  q: "ԛ",
  r: "г",
  s: "ѕЅ",
  t: "тτΤТ",
  u: "υ",
  v: "ѵν",
  w: "ԝωѡ",
  x: "хχΧХ",
  y: "уγΥУ",
  z: "Ζ",
};

/** Where alphabets of symbols begin that no compatibility form makes letters: white on black, and regional indicators. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];

const LATIN = new Map([
  ...Object.entries(LOOKALIKES).flatMap(([latin, others]) => [...others].map((one) => [one, latin] as const)),
  ...ALPHABETS.flatMap((first) =>
    [..."abcdefghijklmnopqrstuvwxyz"].map((latin, at) => [String.fromCodePoint(first + at), latin] as const),
  ),
]);

/** The inside of a class: white space that ends no line. */
const BLANK = "\\t\\v\\f\\r\\p{Zs}";
const EMPTY = `[${INVISIBLE}${BLANK}]`;

/** The text that replaces them. */
const SPELLED_OUT = "⟨(?:U\\+[0-9A-F]{4,6}|\\d+ invisible characters)⟩";

/** What the copy spells differently: hidden characters, white space that is no single space, all that is not ASCII. */
const DISGUISED = new RegExp(`${EMPTY}*(?:${SPELLED_OUT}${EMPTY}*)+|${EMPTY}{2,}|[\\t\\v\\f\\r]|[^\\x00-\\x7f]`, "gu");

/**
 * Removes invisible characters, raw or spelled out, and marks on letters. Compatibility forms and lookalikes become plain
 * letters, white space within a line one space. Linear in the length.
 */
export function foldCharacters(text: string): Folded {
  // Most text hides nothing and needs no map of its characters.
  if (text.search(DISGUISED) === -1) return { text, span: (start, end) => [start, end] };
  const known = new Map<string, string>();
  const lettersOf = (disguised: string) => {
    const letters = known.get(disguised) ?? plain(disguised);
    known.set(disguised, letters);
    return letters;
  };
  let span: Folded["span"] | undefined;
  return {
    text: text.replace(DISGUISED, lettersOf),
    // The map takes longer than the copy, and most lines hold no word that is looked for.
    span: (start, end) => {
      span ??= spansIn(text, lettersOf);
      return span(start, end);
    },
  };
}

function spansIn(text: string, lettersOf: (disguised: string) => string): Folded["span"] {
  const from: number[] = [];
  const to = new Map<number, number>();
  let done = 0;
  const upTo = (end: number) => {
    for (; done < end; done += 1) from.push(done);
  };
  for (const { 0: disguised, index } of text.matchAll(DISGUISED)) {
    upTo(index);
    from.push(...Array<number>(lettersOf(disguised).length).fill(index));
    done = index + disguised.length;
    to.set(index, done);
  }
  upTo(text.length);
  const startOf = (index: number) => from[index] ?? text.length;
  const endOf = (index: number) => to.get(startOf(index)) ?? startOf(index) + 1;
  return (start, end) => [startOf(start), endOf(end - 1)];
}

/** A line of code in the form in which words are looked for. Its blanks stay. */
export function foldedLine(line: string): string {
  const read = line.replace(ESCAPED, unescaped);
  return /^[ -~\t]*$/.test(read) ? read : read.replace(/[^ \t]+/g, (part) => foldCharacters(part).text);
}

/** Letters and blanks by their numbers, as markup, texts and addresses write them. */
const ESCAPED = /&#(?:x[0-9a-f]{2}|\d{2,3});|\\(?:u00|x)[2-7][0-9a-f]|(?:%[2-7][0-9a-f]){3,}/gi;

const unescaped = (escaped: string): string =>
  escaped.replace(/&#x?\w+;|\\\w+|%\w\w/g, (one) => {
    const letter = String.fromCharCode(Number.parseInt(one.replace(/\W|u00|x/gi, ""), /^&#\d/.test(one) ? 10 : 16));
    return /[a-z ]/i.test(letter) ? letter : one;
  });

const SPACED = new RegExp(`[${BLANK}]`, "u");
const SPELLED = new RegExp(SPELLED_OUT, "g");
const HIDDEN = new RegExp(`^(?:${SPELLED_OUT}|[${INVISIBLE}])`, "u");

function plain(disguised: string): string {
  if (SPACED.test(disguised.replace(SPELLED, ""))) return " ";
  if (HIDDEN.test(disguised)) return "";
  const letters = disguised
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/^\(([\p{L}\p{N}]+)\)$/u, "$1");
  return [...letters].map((letter) => LATIN.get(letter) ?? letter).join("");
}

/** So many single letters in a row spell words. */
export const SPELLED_LETTERS = 12;

/** Most signs between two letters of one row: `", "` and more. */
const BETWEEN = 6;

/** A letter's or a blank's number: decimal, or of 7 or 8 bits. */
const CODE = "(?:32|6[5-9]|[78]\\d|9[07-9]|1[01]\\d|12[0-2]|0?[01]{7})(?!\\d)";

const ONE = `(?:[\\p{L}\\p{N}]|${CODE})(?![\\p{L}\\p{N}])`;

/** Letters in a row, or so many figures without a gap that each few of them may be one. */
const RUN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${ONE}(?:[^\\p{L}\\p{N}\\n]{1,${BETWEEN}}${ONE}){${SPELLED_LETTERS - 1},}|\\d[\\p{L}\\p{N}]{39,})`,
  "gu",
);

/** Characters of the shortest row. */
const SHORTEST = 2 * SPELLED_LETTERS - 1;

/** Digits stand for letters in such texts. A row of mostly digits is data. */
const spells = (run: string) =>
  lettersOf(run.replace(CODED, "x")).length * 2 > SPELLED_LETTERS || /^\d[\p{L}\p{N}]{39}/u.test(run);
const CODED = new RegExp(`(?<!\\d)${CODE}`, "g");

export const lettersOf = (text: string): string => text.replace(/[^\p{L}]/gu, "");

/** The text with each row of single letters replaced. */
export const withSpelledRuns = (text: string, replace: (run: string) => string): string =>
  text.length < SHORTEST ? text : text.replace(RUN, (run) => (spells(run) ? replace(run) : run));

export const isSpelled = (text: string): boolean =>
  text.length >= SHORTEST && [...text.matchAll(RUN)].some(([run]) => spells(run));

/** A text in which rows of single letters are words without gaps, as a reader reads them. */
export const readTogether = (text: string): string => withSpelledRuns(text, lettersOf);

/** Only single letters stand on a line, or numbers of letters, behind the line's number or not. */
export function isLetterRow(line: string): boolean {
  const read = line.replace(/^\W*\d+[.):]/, "").replace(CODED, "x");
  return /\p{L}/u.test(read) && !/[\p{L}\p{N}]{2}/u.test(read);
}
