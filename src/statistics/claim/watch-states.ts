import type { DetectorName } from "../../domain/watch.ts";
import { MEAN_BETS } from "./e-process.ts";

/** A value of the reference, and the lower end of its range. */
export interface ReferenceValue {
  readonly by: DetectorName;
  readonly mean: number;
  readonly low: number;
}

/** A night: by detector the value of each task. */
export interface SeenNight {
  readonly values: Readonly<Record<DetectorName, readonly number[]>>;
  /** Trials that gave nothing. They count as won, so that what nobody saw raises no alarm. */
  readonly missing: number;
}

/** Where a watch stands after a night. */
interface WatchState {
  /** What the nights say against that nothing fell: the mean of what all detectors' bets made. */
  readonly evidence: number;
  readonly alarm: boolean;
  /** The night from which on the evidence is counted, from 1. */
  readonly since: number;
  /** The parts of the evidence by detector. */
  readonly by: Readonly<Partial<Record<DetectorName, number>>>;
}

/**
 * Shiryaev and Roberts' statistic over nights: R = (1 + R) x factor, the factor of a night the product over its tasks of
 * 1 + s (low - x), for several stakes s and each detector; the mean of all is the evidence. While each value's mean is at its lower end or
 * above, no factor is larger than 1 on average (SERIES 3.4: the mean over unlike tasks is enough), so R grows by at most 1 a night:
 * it reaches `one_in` after `one_in` nights on average, or later. Evidence beyond that is not kept, so that nights without a fall soon end an
 * alarm. It may come back at once, until the evidence is below the root of `one_in`: then it is over, and the count begins at 0.
 * @param nights oldest first
 */
export function watchStates(
  held_to: readonly ReferenceValue[],
  nights: readonly SeenNight[],
  one_in: number,
): readonly WatchState[] {
  const bets = betsOf(held_to);
  let made = bets.map(() => 0);
  let [since, lasts] = [1, false];
  return nights.map(({ values }, index) => {
    made = bets.map(({ by, low, stake }, at) => (1 + (made[at] ?? 0)) * factorOf(values[by], low, stake));
    const evidence = bets.reduce((sum, { weight }, at) => sum + weight * (made[at] ?? 0), 0);
    const shares = held_to.map(({ by }) => {
      const own = bets.entries().filter(([, bet]) => bet.by === by);
      return [by, own.reduce((sum, [at, { weight }]) => sum + weight * (made[at] ?? 0), 0)] as const;
    });
    const alarm = evidence >= one_in;
    const state = { evidence, alarm, since, by: Object.fromEntries(shares) };
    if (alarm) made = made.map((one) => (one * one_in) / evidence);
    lasts ||= alarm;
    if (lasts && evidence < Math.sqrt(one_in)) [made, since, lasts] = [bets.map(() => 0), index + 2, false];
    return state;
  });
}

const betsOf = (held_to: readonly ReferenceValue[]) =>
  held_to.flatMap(({ by, low }) =>
    MEAN_BETS.map(({ stake, weight }) => ({ by, low, stake: stake / (1 - low), weight: weight / held_to.length })),
  );

/** What a bet makes of a night. A cap costs evidence that nobody needs, and keeps the product a number. */
const factorOf = (values: readonly number[], low: number, stake: number): number =>
  Math.min(MOST, Math.exp(values.reduce((sum, value) => sum + Math.log1p(stake * (low - value)), 0)));

const MOST = 1e100;

/** Nights in which a fall to this value is told when each goes as it does on average; Infinity for more than 30. */
export function nightsToTell(
  { held_to, tasks }: { readonly held_to: readonly ReferenceValue[]; readonly tasks: number },
  value: number,
  one_in: number,
): number {
  const bets = betsOf(held_to).filter(({ by }) => by === held_to[0]?.by);
  const growth = bets.map(({ low, stake }) => {
    const [won, lost] = [Math.log1p(stake * (low - 1)), Math.log1p(stake * low)];
    return Math.exp(tasks * (value * won + (1 - value) * lost));
  });
  let made = bets.map(() => 0);
  for (let night = 1; night <= LONGEST; night += 1) {
    made = made.map((one, at) => (1 + one) * (growth[at] ?? 0));
    if (bets.reduce((sum, { weight }, at) => sum + weight * (made[at] ?? 0), 0) >= one_in) return night;
  }
  return Number.POSITIVE_INFINITY;
}

/** Nights after which nobody waits any more. */
const LONGEST = 30;
