/** What any text fits. */
export const ANY_TEXT = Symbol("*");

/** A part of a glob for text without slashes. */
export type Token = typeof ANY_TEXT | ((char: string) => boolean);

/** What matching has cost so far, in comparisons of some 20 ns; whoever matches many paths keeps an eye on it. */
export interface GlobEffort {
  steps: number;
}

/** Time: at most the number of tokens times that of characters. Goes back to the last `*` only. */
export function fitsText(tokens: readonly Token[], text: string, effort: GlobEffort): boolean {
  let [t, at, star, resume] = [0, 0, -1, 0];
  while (at < text.length) {
    effort.steps += 1;
    const token = tokens[t];
    if (token === ANY_TEXT) {
      star = t++;
      resume = at;
    } else if (token?.(text.charAt(at))) {
      t++;
      at++;
    } else if (star !== -1) {
      t = star + 1;
      at = ++resume;
    } else return false;
  }
  while (tokens[t] === ANY_TEXT) t++;
  return t === tokens.length;
}
