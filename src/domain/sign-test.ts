/** Exact two-sided sign test: how likely fair coins are split at least as unevenly. 1 for none. */
export function signTest(one: number, other: number): number {
  const all = one + other;
  let term = -all * Math.LN2;
  let tail = Math.exp(term);
  for (let fewer = 1; fewer <= Math.min(one, other); fewer += 1) {
    term += Math.log((all - fewer + 1) / fewer);
    tail += Math.exp(term);
  }
  return Math.min(1, 2 * tail);
}
