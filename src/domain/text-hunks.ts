import { type StructuredPatch, type StructuredPatchHunk, structuredPatch } from "diff";

/**
 * How much work the comparison of one arm's changes may take, in squares of edits: that is what the algorithm costs.
 * Beyond it a changed file is shown as removed and added whole. Counted and not timed, so that the same change always
 * gives the same patch.
 */
export class DiffEffort {
  #left = 5_000_000;

  /** Edits for the next file. */
  get maxEdits(): number {
    return Math.min(1_000, Math.floor(Math.sqrt(this.#left)));
  }

  spend(edits: number): void {
    this.#left = Math.max(0, this.#left - edits * edits);
  }
}

/** What one more file may cost. */
export interface PatchMeans {
  readonly effort: DiffEffort;
  /** Characters that the patch may have; without room lines are counted and not written. */
  readonly room: number;
}

interface LineDifference {
  /** Null when there is no room for them. */
  readonly hunks: StructuredPatchHunk[] | null;
  readonly added: number;
  readonly removed: number;
}

/** Lines before and after a change that a hunk shows. */
const CONTEXT = 3;

/** Lines of both sides up to which the shortest way from one to the other is looked for. */
const MAX_COMPARED_LINES = 20_000;

/** Edits that are found so fast that nobody else needs a turn meanwhile. */
const MAX_EDITS_AT_ONCE = 300;

/** What differs between two texts, by lines. Looks closely only at what lies between their equal heads and tails. */
export async function compareLines(before: string, after: string, means: PatchMeans): Promise<LineDifference> {
  const head = equalHead(before, after);
  const tail = equalTail(before, after, head);
  const [old, now] = [middle(before, head, tail), middle(after, head, tail)];
  const counts = { added: linesIn(now), removed: linesIn(old) };
  const lines = counts.added + counts.removed;
  const isLong = lines > MAX_COMPARED_LINES;
  if (old.length + now.length + lines > means.room && isLong) return { hunks: null, ...counts };
  const from = backwards(before, head, CONTEXT);
  const around = {
    before: before.slice(from, head),
    after: before.slice(before.length - tail, endOfLines(before, tail)),
  };
  const [left, right] = [around.before + old + around.after, around.before + now + around.after];
  const compared = isLong ? undefined : await shortest(left, right, means.effort);
  const hunks = compared ?? [wholeHunk(around, old, now)];
  const skipped = linesIn(before.slice(0, from));
  return {
    ...countsOf(hunks),
    hunks: hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + skipped, newStart: hunk.newStart + skipped })),
  };
}

/** Undefined when more edits lie between them than may be looked for. */
async function shortest(left: string, right: string, effort: DiffEffort): Promise<StructuredPatchHunk[] | undefined> {
  const { maxEdits } = effort;
  const atOnce = { context: CONTEXT, maxEditLength: Math.min(maxEdits, MAX_EDITS_AT_ONCE) };
  let compared = structuredPatch("", "", left, right, undefined, undefined, atOnce);
  if (!compared && maxEdits > MAX_EDITS_AT_ONCE) compared = await steadily(left, right, maxEdits);
  const { added, removed } = countsOf(compared?.hunks ?? []);
  effort.spend(compared ? added + removed : maxEdits);
  return compared?.hunks;
}

/** Others have a turn after every edit. */
const steadily = (left: string, right: string, maxEditLength: number): Promise<StructuredPatch | undefined> =>
  new Promise((callback) => {
    structuredPatch("", "", left, right, undefined, undefined, { context: CONTEXT, maxEditLength, callback });
  });

function countsOf(hunks: readonly StructuredPatchHunk[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  for (const { lines } of hunks)
    for (const line of lines) {
      if (line.startsWith("+")) added += 1;
      else if (line.startsWith("-")) removed += 1;
    }
  return { added, removed };
}

/** Characters at the start that both have, whole lines. */
function equalHead(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at === 0 ? 0 : before.lastIndexOf("\n", at - 1) + 1;
}

/** Characters at the end that both have, whole lines, none of them in the head. */
function equalTail(before: string, after: string, head: number): number {
  const most = Math.min(before.length, after.length) - head;
  let length = 0;
  while (length < most && before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length))
    length += 1;
  if (length === 0) return 0;
  const newline = before.indexOf("\n", before.length - length);
  return newline === -1 ? 0 : before.length - newline - 1;
}

const middle = (text: string, head: number, tail: number) => text.slice(head, text.length - tail);

/** Where some lines before a place begin. */
function backwards(text: string, place: number, lines: number): number {
  let at = place;
  for (let count = 0; count < lines && at > 0; count += 1) at = at === 1 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
  return at;
}

/** Where the first lines of a tail end. */
function endOfLines(text: string, tail: number): number {
  let at = text.length - tail;
  for (let count = 0; count < CONTEXT && at < text.length; count += 1) {
    const newline = text.indexOf("\n", at);
    at = newline === -1 ? text.length : newline + 1;
  }
  return at;
}

function wholeHunk(
  around: { readonly before: string; readonly after: string },
  old: string,
  now: string,
): StructuredPatchHunk {
  const context = linesIn(around.before) + linesIn(around.after);
  const lines = [
    ...signedLines(" ", around.before),
    ...signedLines("-", old),
    ...signedLines("+", now),
    ...signedLines(" ", around.after),
  ];
  return { oldStart: 1, oldLines: context + linesIn(old), newStart: 1, newLines: context + linesIn(now), lines };
}

function signedLines(sign: string, text: string): readonly string[] {
  if (text === "") return [];
  const isEnded = text.endsWith("\n");
  const lines = (isEnded ? text.slice(0, -1) : text).split("\n").map((line) => sign + line);
  return isEnded ? lines : [...lines, "\\ No newline at end of file"];
}

/** Line ends, and a last line without one. */
export function linesIn(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
