import type { ChangedText, DiffLine } from "./file-change.ts";

/** What stands beside each other: both versions of a line, or one side alone. */
export interface LinePair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Removed lines stand beside the added ones that follow them, in their order. */
export function pairsOf(lines: readonly ShownLine[]): readonly (LinePair | Hidden)[] {
  const pairs: (LinePair | Hidden)[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push({ left: removed[index] ?? null, right: added[index] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed" && added.length > 0) flush();
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push(line.kind === "hidden" ? line : { left: line, right: line });
    }
  }
  flush();
  return pairs;
}

export const isHidden = (row: object): row is Hidden => "kind" in row && row.kind === "hidden";

/** The other version of each line that has one. */
export const matesOf = (pairs: readonly (LinePair | Hidden)[]): ReadonlyMap<DiffLine, DiffLine> =>
  new Map(
    pairs.flatMap((pair) => {
      if (isHidden(pair) || pair.left === null || pair.right === null || pair.left === pair.right) return [];
      return [
        [pair.left, pair.right],
        [pair.right, pair.left],
      ] as const;
    }),
  );

/** A line of a file's diff, or the unchanged lines that are left out at this place. */
export type ShownLine = DiffLine | Hidden;

export interface Hidden {
  readonly kind: "hidden";
  /** How many; 0 where it is not known. */
  readonly count: number;
  /** The first line that is left out, as numbered after the change; it names this place. */
  readonly after: number;
  readonly before: number;
}

/**
 * The first `most` lines that differ, with what lies between their hunks: a place to unfold, or the lines themselves where a
 * reader asked for them by the place's `after`. Lines are known only where both texts were kept.
 */
export function withContext(
  text: ChangedText,
  unfolded: ReadonlySet<number>,
  most: number = Number.POSITIVE_INFINITY,
): readonly ShownLine[] {
  const texts = textsOf(text);
  let next: Place = { before: 1, after: 1 };
  const lines = text.lines.length > most ? text.lines.slice(0, most) : [...text.lines, ...endOf(texts)];
  return lines.flatMap((line) => {
    const shown = line.kind === "gap" ? leftOut(texts, next, placeOf(line, next), unfolded) : [line];
    next = placeOf(line, next, line.kind === "gap" ? 0 : 1);
    return shown;
  });
}

/** Line numbers before and after the change. */
interface Place {
  readonly before: number;
  readonly after: number;
}

type Texts = Readonly<Record<keyof Place, readonly string[]>> | null;

const textsOf = ({ before, after }: ChangedText): Texts =>
  before === null || after === null ? null : { before: linesIn(before), after: linesIn(after) };

/** A text that ends its last line has no line after it. */
const linesIn = (text: string) => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");

/** What follows the last hunk is left out like what stands before one. */
const endOf = (texts: Texts): DiffLine[] =>
  texts ? [{ kind: "gap", before: texts.before.length + 1, after: texts.after.length + 1, text: "" }] : [];

const placeOf = ({ before, after }: DiffLine, otherwise: Place, further = 0): Place => ({
  before: before === null ? otherwise.before : before + further,
  after: after === null ? otherwise.after : after + further,
});

function leftOut(texts: Texts, from: Place, to: Place, unfolded: ReadonlySet<number>): readonly ShownLine[] {
  const count = to.after - from.after;
  if (!texts || !isSame(texts, from, count)) return [{ kind: "hidden", count: 0, ...to }];
  if (count === 0) return [];
  if (!unfolded.has(from.after)) return [{ kind: "hidden", count, ...from }];
  return Array.from({ length: count }, (_, index) => ({
    ...{ kind: "same", before: from.before + index, after: from.after + index },
    text: texts.after[from.after - 1 + index] ?? "",
  }));
}

/** Whether the lines between two hunks are the same on both sides; else the numbers cannot be trusted. */
function isSame({ before, after }: NonNullable<Texts>, from: Place, count: number): boolean {
  for (let index = 0; index < count; index += 1)
    if (before[from.before - 1 + index] !== after[from.after - 1 + index]) return false;
  return count >= 0;
}
