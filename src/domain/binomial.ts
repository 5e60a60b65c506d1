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

/** The range of a share; both ends are from 0 to 1. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/** Quantile of the normal distribution at 97.5%. */
const Z = 1.959963984540054;

/** Wilson's 95% range of a share (JASA 22, 1927); from 0 to 1 where nothing was counted. */
export function wilson(some: number, all: number): Range {
  if (all === 0) return { low: 0, high: 1 };
  const [share, z2] = [some / all, Z * Z];
  const centre = (share + z2 / (2 * all)) / (1 + z2 / all);
  const half = (Z * Math.sqrt((share * (1 - share)) / all + z2 / (4 * all * all))) / (1 + z2 / all);
  // The sums miss 0 and 1 by a rounding error at the ends.
  return { low: some === 0 ? 0 : centre - half, high: some === all ? 1 : centre + half };
}
