import { NOW } from "./rules.ts";

/** Wins, ties and losses of arm a. Failed and unusable trials are not in it. */
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

/** Natural logarithms of the wealth that betting on a side has made, and of the evidence: the mean of both, and what is not bet. */
export interface LogEvidence {
  readonly a: number;
  readonly b: number;
  readonly both: number;
}

/** The wealth of which a share was bet, as a logarithm. */
export const withRest = (log: number, fresh: number): number => logSum(log + Math.log(fresh), Math.log(1 - fresh));

/** A bet on a side against one mean: what each kind of trial adds to the logarithm of its wealth. */
export interface Wager {
  readonly log_weight: number;
  readonly win: number;
  readonly tie: number;
  readonly loss: number;
}

/** The bets on either side against one mean. */
export interface Wagers {
  readonly a: readonly Wager[];
  readonly b: readonly Wager[];
}

/** @param mean on the scale from -1 (b always wins) to 1 (a always wins) */
export const wagersAgainst = (mean: number): Wagers => ({
  a: wagersOf(mean, 1 / (1 + mean)),
  b: wagersOf(mean, -1 / (1 - mean)),
});

/** `unit` is the bet that may lose everything. */
const wagersOf = (mean: number, unit: number): readonly Wager[] =>
  BETS.map(({ stake, log_weight }) => {
    const after = (outcome: number) => Math.log1p(stake * unit * (outcome - mean));
    return { log_weight, win: after(1), tie: after(0), loss: after(-1) };
  });

export const AGAINST_NO_PREFERENCE = wagersAgainst(0);

/**
 * The evidence of the trials against a mean. When that is the mean, the evidence ever reaches 1 / alpha in at most a share
 * alpha of all series, whenever somebody looks (Ville's inequality; the bets are those of Waudby-Smith and Ramdas, fixed in
 * advance).
 */
export function logEvidence(counts: Counts, wagers = AGAINST_NO_PREFERENCE, { fresh } = NOW): LogEvidence {
  const [a, b] = [logWealth(counts, wagers.a), logWealth(counts, wagers.b)];
  return { a, b, both: withRest(logSum(a, b) - Math.LN2, fresh) };
}

/** The wealth of all bets on a side over what they started with: 0 without a trial. */
const logWealth = (counts: Counts, wagers: readonly Wager[]): number =>
  logSumOf(wagers.map((wager) => logWealthOf(counts, wager))) - LOG_START;

export function logWealthOf({ wins, ties, losses }: Counts, { log_weight, win, tie, loss }: Wager): number {
  return log_weight + times(wins, win) + times(ties, tie) + times(losses, loss);
}

/** Trials that never happened took nothing, also from a bet that would have lost everything. */
const times = (count: number, each: number) => (count === 0 ? 0 : count * each);

const logSumOf = (logs: readonly number[]): number => logs.reduce(logSum, Number.NEGATIVE_INFINITY);

/** The logarithm of the sum of what these are logarithms of. */
export function logSum(one: number, other: number): number {
  const larger = Math.max(one, other);
  return Number.isFinite(larger) ? larger + Math.log1p(Math.exp(Math.min(one, other) - larger)) : larger;
}

/** 0 but for rounding, which would tell of evidence where there is none. */
const LOG_START = logSumOf(BETS.map(({ log_weight }) => log_weight));
