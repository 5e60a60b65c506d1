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
