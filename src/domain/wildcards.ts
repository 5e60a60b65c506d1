/** Stands for any number of items, none included. */
export const ANY = Symbol("*");

/** What matching has cost so far, in comparisons of some 20 ns. Callers that match many paths watch it. */
export interface GlobEffort {
  steps: number;
}

/**
 * Whether `count` items fit a pattern, each its own part. `fitsAt` compares one part with the item at an index.
 * Time: at most the length of the pattern times `count`. Goes back to the last `ANY` only: what an earlier one could
 * take, the last one can take too.
 */
export function fitsPattern<Part>(
  pattern: readonly (Part | typeof ANY)[],
  count: number,
  fitsAt: (part: Part, index: number) => boolean,
  effort: GlobEffort,
): boolean {
  let [p, at, star, resume] = [0, 0, -1, 0];
  while (at < count) {
    effort.steps += 1;
    const part = pattern[p];
    if (part === ANY) {
      star = p++;
      resume = at;
    } else if (part !== undefined && fitsAt(part, at)) {
      p++;
      at++;
    } else if (star !== -1) {
      p = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[p] === ANY) p++;
  return p === pattern.length;
}

/** A part of a pattern for text without slashes. */
export type Token = typeof ANY | ((char: string) => boolean);

export const fitsText = (tokens: readonly Token[], text: string, effort: GlobEffort): boolean =>
  fitsPattern(tokens, text.length, (token, at) => token(text.charAt(at)), effort);
