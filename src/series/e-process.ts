/** What decisive and other trials came to, seen from arm a. Failed and unusable ones are not in it. */
export interface Counts {
  readonly wins: number;
  /** Trials without a winner, for whatever reason. */
  readonly ties: number;
  readonly losses: number;
}

/** A bet on a side: the share of the wealth that it may lose, and its part of the wealth at the start. */
const BETS = [
  { stake: 0.3, weight: 0.15 },
  { stake: 0.5, weight: 0.2 },
  { stake: 0.65, weight: 0.65 },
] as const;

/** Natural logarithms of the wealth that betting on a side has made, and of the mean of both, which is the evidence. */
export interface LogEvidence {
  readonly a: number;
  readonly b: number;
  readonly both: number;
}

/**
 * The evidence of the trials against a mean of `mean` on the scale from -1 (b always wins) to 1 (a always wins). When that
 * is the mean, the evidence ever reaches 1 / alpha in at most a share alpha of all series, whenever somebody looks (Ville's
 * inequality; the bets are those of Waudby-Smith and Ramdas, fixed in advance).
 */
export function logEvidence(counts: Counts, mean = 0): LogEvidence {
  const a = logSum(BETS.map(({ stake, weight }) => Math.log(weight) + logWealth(counts, mean, stake / (1 + mean))));
  const b = logSum(BETS.map(({ stake, weight }) => Math.log(weight) + logWealth(counts, mean, -stake / (1 - mean))));
  return { a, b, both: logSum([a, b]) - Math.LN2 };
}

function logWealth({ wins, ties, losses }: Counts, mean: number, bet: number): number {
  const after = (count: number, outcome: number) => (count === 0 ? 0 : count * Math.log1p(bet * (outcome - mean)));
  return after(wins, 1) + after(ties, 0) + after(losses, -1);
}

/** The logarithm of the sum of what these are logarithms of. */
function logSum(logs: readonly number[]): number {
  const largest = Math.max(...logs);
  if (!Number.isFinite(largest)) return largest;
  return largest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - largest), 0));
}
