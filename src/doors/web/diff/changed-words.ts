import { diffWordsWithSpace } from "diff";
import type { ColouredText } from "./coloured-lines.ts";

/** Characters from `from` up to `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

interface ChangedWords {
  readonly before: readonly Range[];
  readonly after: readonly Range[];
}

/** Longer lines are made by programs, and comparing their words takes long. */
const CHARS = 400;

/** Words that may differ. A line in which more differ counts as another line: to compare all of them takes long. */
const EDITS = 60;

/** Share of equal characters below which two lines are not versions of one another. */
const ALIKE = 0.3;

/** The words that differ between two versions of a line; null where the lines have too little in common. */
export function changedWords(before: string, after: string): ChangedWords | null {
  if (before.length > CHARS || after.length > CHARS) return null;
  const ranges: { readonly before: Range[]; readonly after: Range[] } = { before: [], after: [] };
  let [left, right, equal] = [0, 0, 0];
  const words = diffWordsWithSpace(before, after, { maxEditLength: EDITS });
  if (words === undefined) return null;
  for (const { value, added, removed } of words) {
    if (removed) ranges.before.push({ from: left, to: left + value.length });
    else if (added) ranges.after.push({ from: right, to: right + value.length });
    else equal += value.trim().length;
    if (!added) left += value.length;
    if (!removed) right += value.length;
  }
  return equal < ALIKE * Math.max(before.trim().length, after.trim().length) ? null : ranges;
}

export interface MarkedToken extends ColouredText {
  readonly changed: boolean;
}

/** Coloured text cut where what differs begins and ends. */
export function markChanged(tokens: readonly ColouredText[], ranges: readonly Range[]): readonly MarkedToken[] {
  const cuts = ranges.flatMap(({ from, to }) => [from, to]);
  let start = 0;
  return tokens.flatMap((token) => {
    const begin = start;
    start += token.text.length;
    const inside = cuts.filter((cut) => cut > begin && cut < start);
    const bounds = [begin, ...inside, start];
    return bounds.slice(1).map((to, index) => {
      const from = bounds[index] ?? begin;
      const changed = ranges.some((range) => range.from <= from && to <= range.to);
      return { text: token.text.slice(from - begin, to - begin), class: token.class, changed };
    });
  });
}
