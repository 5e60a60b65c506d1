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
