import { logSum } from "../claim/e-process.ts";

/**
 * Which of several hypotheses their evidence rejects together: any true one is rejected in at most `alpha` of all cases, however the
 * evidence depends on each other, and whenever somebody looks (Vovk and Wang, E-values: calibration, combination and applications,
 * 2021: closed testing by means).
 * @param logs natural logarithms of the evidence against each
 */
export function rejectedTogether(logs: readonly number[], alpha: number): readonly boolean[] {
  const enough = -Math.log(alpha);
  const rising = logs.toSorted((one, other) => one - other);
  // A hypothesis falls when each set with it does; the hardest sets take the others with the least evidence.
  const sums: number[] = [];
  for (const log of rising) sums.push(logSum(sums.at(-1) ?? Number.NEGATIVE_INFINITY, log));
  return logs.map((own) => {
    if (own < enough) return false;
    const place = rising.indexOf(own);
    // Those below it stand before it; with those above it a mean only rises.
    return rising.slice(0, place).every((_, index) => {
      const sum = logSum(sums[index] ?? Number.NEGATIVE_INFINITY, own);
      return sum - Math.log(index + 2) >= enough;
    });
  });
}

/**
 * Which of several hypotheses are rejected where a share `alpha` of all rejections may be false, on average (Wang and Ramdas, False
 * discovery rate control with e-values, 2022).
 */
export function rejectedByRate(logs: readonly number[], alpha: number): readonly boolean[] {
  const falling = logs.toSorted((one, other) => other - one);
  const needed = (count: number) => Math.log(logs.length) - Math.log(count * alpha);
  const last = falling.findLastIndex((log, index) => log >= needed(index + 1));
  return logs.map((log) => last >= 0 && log >= needed(last + 1));
}

/** The logarithm of the mean of what these are logarithms of. */
export const logMean = (logs: readonly number[]): number =>
  logs.reduce(logSum, Number.NEGATIVE_INFINITY) - Math.log(logs.length);
