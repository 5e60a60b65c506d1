/** What a version of the statistics does otherwise than others. A series keeps the version that it was begun with. */
export interface Rules {
  /** The share of the wealth that the first series of a comparison bets; later ones bet the rest. */
  readonly fresh: number;
  /** A claim holds only while its evidence does. */
  readonly lapses: boolean;
  /** Means of clusters are bet on. Absent: each trial counts for itself. */
  readonly clustered?: boolean;
}

export const NOW: Rules = { fresh: 0.85, lapses: true };

const BEFORE: Readonly<Record<string, Rules>> = { "series/1": { fresh: 1, lapses: false } };

export const rulesOf = (protocol: string): Rules => BEFORE[protocol] ?? NOW;

/** The sum of 1 / (k ln²(k + 1)) over all k from 1 on. */
const SUM_OF_RESTARTS = 3.3877;

/**
 * The share that is bet on the trials from a comparison's series of this number on, from 1. All shares together are 1, so that the
 * evidence of a comparison is a bet of the same wealth however its trials are cut into series.
 */
export function shareOf(number: number, { fresh }: Rules): number {
  if (number === 1) return fresh;
  return (1 - fresh) / (SUM_OF_RESTARTS * (number - 1) * Math.log(number) ** 2);
}

/** The wealth with which the evidence of a first series, what it did not bet included, reaches 1 / alpha. */
export const wealthNeeded = (alpha: number, { fresh }: Rules): number => (1 / alpha - (1 - fresh)) / fresh;

/** A difference of two decimals, or a sum of fractions that is 0, misses it by some billionths. */
export const ROUNDING = 1e-9;
