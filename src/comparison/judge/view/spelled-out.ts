/** So many single letters in a row spell words. */
export const SPELLED_LETTERS = 12;

/** Most signs between two letters of one row: `", "` and more. */
const BETWEEN = 6;

const RUN = new RegExp(
  `(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}](?:[^\\p{L}\\p{N}\\n]{1,${BETWEEN}}[\\p{L}\\p{N}](?![\\p{L}\\p{N}])){${SPELLED_LETTERS - 1},}`,
  "gu",
);

/** Characters of the shortest row. */
const SHORTEST = 2 * SPELLED_LETTERS - 1;

/** Digits stand for letters in such texts. A row of mostly digits is data. */
const spells = (run: string) => lettersOf(run).length * 2 > SPELLED_LETTERS;

export const lettersOf = (text: string): string => text.replace(/[^\p{L}]/gu, "");

/** The text with each row of single letters replaced. */
export const withSpelledRuns = (text: string, replace: (run: string) => string): string =>
  text.length < SHORTEST ? text : text.replace(RUN, (run) => (spells(run) ? replace(run) : run));

export const isSpelled = (text: string): boolean =>
  text.length >= SHORTEST && [...text.matchAll(RUN)].some(([run]) => spells(run));

/** A text in which rows of single letters are words without gaps, as a reader reads them. */
export const readTogether = (text: string): string => withSpelledRuns(text, lettersOf);

/** Only single letters stand on a line. */
export const isLetterRow = (line: string): boolean => /\p{L}/u.test(line) && !/[\p{L}\p{N}]{2}/u.test(line);
