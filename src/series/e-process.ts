/** What decisive and other trials came to, seen from arm a. Failed and unusable ones are not in it. */
export interface Counts {
  readonly wins: number;
  /** Trials without a winner, for whatever reason. */
  readonly ties: number;
  readonly losses: number;
}

/** A bet on a side: the share of the wealth that it may lose, and its part of the wealth at the start. */
const BETS = [
  { stake: 0.3, log_weight: Math.log(0.15) },
  { stake: 0.5, log_weight: Math.log(0.2) },
  { stake: 0.65, log_weight: Math.log(0.65) },
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
  const a = logWealth(counts, mean, 1 / (1 + mean));
  const b = logWealth(counts, mean, -1 / (1 - mean));
  return { a, b, both: logSum(a, b) - Math.LN2 };
}

/** Of all bets together; `unit` is the bet that may lose everything. */
function logWealth(counts: Counts, mean: number, unit: number): number {
  let sum = Number.NEGATIVE_INFINITY;
  for (const { stake, log_weight } of BETS) sum = logSum(sum, log_weight + logWealthOf(stake * unit, counts, mean));
  return sum;
}

function logWealthOf(bet: number, { wins, ties, losses }: Counts, mean: number): number {
  const after = (count: number, outcome: number) => (count === 0 ? 0 : count * Math.log1p(bet * (outcome - mean)));
  return after(wins, 1) + after(ties, 0) + after(losses, -1);
}

/** The logarithm of the sum of what these are logarithms of. */
function logSum(one: number, other: number): number {
  const larger = Math.max(one, other);
  return Number.isFinite(larger) ? larger + Math.log1p(Math.exp(Math.min(one, other) - larger)) : larger;
}
