/** The 97.5% point of the normal distribution, for two-sided 95%. */
const Z = 1.959963984540054;

/** Wilson's 95% interval for the share behind `count` of `total`; [0, 1] for none. */
export function wilson(count: number, total: number): readonly [low: number, high: number] {
  if (total === 0) return [0, 1];
  const share = count / total;
  const spread = Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2));
  const bound = (side: 1 | -1) => (share + Z ** 2 / (2 * total) + side * spread) / (1 + Z ** 2 / total);
  return [Math.max(0, bound(-1)), Math.min(1, bound(1))];
}

/** Exact two-sided sign test: how often fair coins would fall at least as unevenly. 1 for none. */
export function signTest(one: number, other: number): number {
  const total = one + other;
  let log_term = -total * Math.LN2;
  let sum = 0;
  for (let count = 0; count <= Math.min(one, other); count += 1) {
    sum += Math.exp(log_term);
    log_term += Math.log(total - count) - Math.log(count + 1);
  }
  return Math.min(1, 2 * sum);
}
