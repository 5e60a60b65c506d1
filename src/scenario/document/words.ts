import { distance } from "fastest-levenshtein";
import { cut } from "../problems.ts";

/** A value as an error message shows it: short, and as it was written as far as possible. */
export function inWords(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(cut(value));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  return String(value);
}

/** `a`, `a or b`, `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

/** `; did you mean "model"?` when one of `known` is close enough to be meant, else empty. */
export function didYouMean(written: string, known: readonly string[]): string {
  const meant = closestTo(written, known);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** The one of `known` that is close enough to be meant. */
export function closestTo(written: string, known: readonly string[]): string | undefined {
  if (written.length > 64) return undefined;
  const ranked = known.map((word) => ({ word, edits: edits(written.toLowerCase(), word.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.edits - b.edits)[0];
  const isClose =
    best !== undefined && best.edits < best.word.length && best.edits <= Math.max(1, best.word.length / 3);
  return isClose ? best.word : undefined;
}

/** Swapped letters are the likeliest slip, nearer than any other edit. */
const edits = (written: string, word: string) => {
  const isSwap = written !== word && sortedLetters(written) === sortedLetters(word);
  return isSwap ? 0.5 : distance(written, word);
};

const sortedLetters = (text: string) => [...text].sort().join("");
