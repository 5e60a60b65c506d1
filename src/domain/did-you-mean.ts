import { distance } from "fastest-levenshtein";

/** Characters of a name that is compared. A longer text is no typo. */
const COMPARED_CHARS = 64;

/** `; did you mean "model"?` when `closestTo` finds one, else empty. */
export function didYouMean(written: string, known: readonly string[]): string {
  const meant = closestTo(written, known);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** The same, with what is told either way: `; did you mean "left"? Its arms: left, right`, or `; its arms: left, right`. */
export function didYouMeanAmong(written: string, known: readonly string[], told: string): string {
  const meant = didYouMean(written, known);
  return meant === "" ? `; ${told}` : `${meant} ${told.slice(0, 1).toUpperCase()}${told.slice(1)}`;
}

/** The one of `known` that differs by a third of its letters at most, whatever their case; one letter may always differ. */
export function closestTo(written: string, known: readonly string[]): string | undefined {
  if (written.length > COMPARED_CHARS) return undefined;
  const ranked = known
    .filter((word) => word.length <= COMPARED_CHARS)
    .map((word) => ({ word, edits: edits(written.toLowerCase(), word.toLowerCase()) }));
  const [best] = ranked.sort((a, b) => a.edits - b.edits);
  const isClose =
    best !== undefined && best.edits < best.word.length && best.edits <= Math.max(1, best.word.length / 3);
  return isClose ? best.word : undefined;
}

/** Swapped letters are the most frequent typo, so they count less than any other edit. */
const edits = (written: string, word: string) => {
  const isSwap = written !== word && sortedLetters(written) === sortedLetters(word);
  return isSwap ? 0.5 : distance(written, word);
};

const sortedLetters = (text: string) => [...text].sort().join("");
