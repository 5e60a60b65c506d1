import { NOW, type Rules } from "./rules.ts";

/** Wins, ties and losses of arm a. Failed and unusable trials are not in it. */
export interface Counts {
  readonly wins: number;
  /** Trials without a winner, for whatever reason. */
  readonly ties: number;
  readonly losses: number;
  /** Clusters, each with the mean of its trials. Absent: each trial counts for itself. */
  readonly means?: Means;
}

/** Means from -1 to 1, and what they add to the logarithms of the bets on them. */
interface Means {
  readonly count: number;
  readonly sum: number;
  /** By bet that the mean is higher, or lower. */
  readonly up: readonly number[];
  readonly down: readonly number[];
}

export const totalIn = ({ wins, ties, losses, means }: Counts): number => wins + ties + losses + (means?.count ?? 0);

/** How far a is ahead: the sum of all differences. */
export const netOf = ({ wins, losses, means }: Counts): number => wins - losses + (means?.sum ?? 0);

export function sumOf(one: Counts, other: Counts): Counts {
  const means = one.means && other.means ? bothMeans(one.means, other.means) : (one.means ?? other.means);
  return {
    ...{ wins: one.wins + other.wins, ties: one.ties + other.ties, losses: one.losses + other.losses },
    ...(means && { means }),
  };
}

function bothMeans(one: Means, other: Means): Means {
  const added = (of: "up" | "down") => one[of].map((log, index) => log + (other[of][index] ?? 0));
  return { count: one.count + other.count, sum: one.sum + other.sum, up: added("up"), down: added("down") };
}

/** Bets on a mean, the shares of it that they stake. */
export const MEAN_BETS = [
  { stake: 0.1, weight: 0.1 },
  { stake: 0.3, weight: 0.2 },
  { stake: 0.5, weight: 0.25 },
  { stake: 0.65, weight: 0.35 },
  { stake: 0.9, weight: 0.1 },
] as const;

/** Clusters with these means. */
export const countsOfMeans = (means: readonly number[]): Counts => ({
  ...{ wins: 0, ties: 0, losses: 0 },
  means: {
    ...{ count: means.length, sum: means.reduce((sum, mean) => sum + mean, 0) },
    up: MEAN_BETS.map(({ stake }) => means.reduce((sum, mean) => sum + Math.log1p(stake * mean), 0)),
    down: MEAN_BETS.map(({ stake }) => means.reduce((sum, mean) => sum + Math.log1p(-stake * mean), 0)),
  },
});

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
  /** What clusters add. Absent: none are bet on. */
  readonly ofMeans?: (means: Means) => number;
}

/** The bets on either side against one mean. */
export interface Wagers {
  readonly a: readonly Wager[];
  readonly b: readonly Wager[];
}

/** @param mean on the scale from -1 (b always wins) to 1 (a always wins) */
export const wagersAgainst = (mean: number, { clustered = false }: Rules = NOW): Wagers =>
  clustered
    ? { a: wagersOnMeans(mean, "up"), b: wagersOnMeans(mean, "down") }
    : { a: wagersOf(mean, 1 / (1 + mean)), b: wagersOf(mean, -1 / (1 - mean)) };

/** Means of clusters lie between the ends: these are the bets of `MeanProcess` that predict nothing. */
const wagersOnMeans = (mean: number, side: "up" | "down"): readonly Wager[] =>
  MEAN_BETS.map(({ stake, weight }, index) => {
    const bet = side === "up" ? stake : -stake;
    const tie = -Math.log1p(bet * mean);
    const ofMeans = (means: Means) => (means[side][index] ?? 0) + means.count * tie;
    return { log_weight: Math.log(weight), win: Math.log1p(bet) + tie, tie, loss: Math.log1p(-bet) + tie, ofMeans };
  });

/** `unit` is the bet that may lose everything. */
const wagersOf = (mean: number, unit: number): readonly Wager[] =>
  BETS.map(({ stake, log_weight }) => {
    const after = (outcome: number) => Math.log1p(stake * unit * (outcome - mean));
    return { log_weight, win: after(1), tie: after(0), loss: after(-1) };
  });

export const AGAINST_NO_PREFERENCE = wagersAgainst(0);
const CLUSTERED = wagersAgainst(0, { ...NOW, clustered: true });

export const againstNoPreference = (rules: Rules = NOW): Wagers =>
  rules.clustered ? CLUSTERED : AGAINST_NO_PREFERENCE;

/**
 * The evidence of the trials against a mean. When that is the mean, the evidence ever reaches 1 / alpha in at most a share
 * alpha of all series, whenever somebody looks (Ville's inequality; the bets are those of Waudby-Smith and Ramdas, fixed in
 * advance).
 */
export function logEvidence(counts: Counts, wagers?: Wagers, rules: Rules = NOW): LogEvidence {
  const { a: onA, b: onB } = wagers ?? againstNoPreference(rules);
  const { fresh } = rules;
  const [a, b] = [logWealth(counts, onA), logWealth(counts, onB)];
  return { a, b, both: withRest(logSum(a, b) - Math.LN2, fresh) };
}

/** The wealth of all bets on a side over what they started with: 0 without a trial. */
const logWealth = (counts: Counts, wagers: readonly Wager[]): number =>
  logSumOf(wagers.map((wager) => logWealthOf(counts, wager))) - LOG_START;

export function logWealthOf({ wins, ties, losses, means }: Counts, wager: Wager): number {
  const { log_weight, win, tie, loss, ofMeans } = wager;
  return log_weight + times(wins, win) + times(ties, tie) + times(losses, loss) + (means ? (ofMeans?.(means) ?? 0) : 0);
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
