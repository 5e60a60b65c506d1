/**
 * Pairs of runs whose truth is known, and judges whose faults are known. The gap that a judge sees in one call is the true
 * difference plus what it errs about this pair in every call, its liking for length, its pull to the first place, chance,
 * and what the hidden checks suggest to it. Additive errors are an assumption: the figures compare rules, they forecast no
 * real judge.
 */

/** A judge's faults, in units of the spread of true differences. */
export interface Faults {
  /** Pull to the arm that is shown first. */
  readonly place: number;
  /** Liking for the longer text, for each unit of log-length. */
  readonly length: number;
  /** Spread of what it errs about a pair, the same in every call. */
  readonly lasting: number;
  /** Spread of what it errs anew in each call. */
  readonly fresh: number;
}

/** From a strong judge of today to a weak one of some years ago. */
export const JUDGES = {
  good: { place: 0.08, length: 0.08, lasting: 0.25, fresh: 0.12 },
  mid: { place: 0.35, length: 0.2, lasting: 0.4, fresh: 0.18 },
  weak: { place: 0.75, length: 0.4, lasting: 0.6, fresh: 0.3 },
} as const satisfies Readonly<Record<string, Faults>>;

/** As the weak one, but the order of presentation outweighs most of what is better. */
export const PULLED: Faults = { ...JUDGES.weak, place: 1.5 };

/** What it likes about a pair outweighs what is better about it, and it likes the same in every call. */
export const TASTE: Faults = { place: 0.08, length: 0.08, lasting: 6, fresh: 0.12 };

/** Two runs. Everything is seen from arm a. */
export interface Pair {
  /** True difference; 0 for arms that are equal. */
  readonly difference: number;
  /** How much longer arm a writes, in logarithms. */
  readonly longer: number;
  /** What the judge errs about this pair, in units of its spread. */
  readonly lasting: number;
  /** Hidden checks passed, of `CHECKS`. */
  readonly passed: Readonly<Record<"a" | "b", number>>;
}

export const CHECKS = 8;

/** Share of equal pairs; the least difference of the others. */
const EQUAL = 0.3;
const LEAST = 0.2;

/** Share of the runs that pass every check by accident. */
const LUCKY = 0.08;

/** What a check more suggests to a judge that sees the checks. */
const CHECK_PULL = 0.15;

/** Numbers from 0 to 1 from a seed: the same everywhere, so that a run can be repeated. */
export type Chance = () => number;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Standard normal, by Box and Muller. */
export const normal = (chance: Chance): number =>
  Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());

export function drawPair(chance: Chance): Pair {
  const difference = chance() < EQUAL ? 0 : drawDifference(chance);
  const base = 0.3 + 0.6 * normal(chance);
  const passed = (quality: number) => {
    if (chance() < LUCKY) return CHECKS;
    const likely = 1 / (1 + Math.exp(-2.5 * quality));
    return Array.from({ length: CHECKS }, () => chance() < likely).filter(Boolean).length;
  };
  return {
    difference,
    longer: 0.6 * normal(chance),
    lasting: normal(chance),
    passed: { a: passed(base + difference / 2), b: passed(base - difference / 2) },
  };
}

function drawDifference(chance: Chance): number {
  const difference = normal(chance);
  return Math.abs(difference) < LEAST ? drawDifference(chance) : difference;
}

/** The gap that this judge sees in one call, from arm a; `more_checks`: of arm a, 0 when it does not see the checks. */
export function gapSeen(
  pair: Omit<Pair, "passed">,
  faults: Faults,
  call: { readonly a_first: boolean; readonly more_checks: number; readonly chance: Chance },
): number {
  const lasting = pair.difference + faults.lasting * pair.lasting + faults.length * pair.longer;
  const place = call.a_first ? faults.place : -faults.place;
  return lasting + place + CHECK_PULL * call.more_checks + faults.fresh * normal(call.chance);
}

/** Points of all criteria together for one candidate. */
export const CRITERIA = ["one", "two", "three", "four", "five"] as const;
const TOP = 4 * CRITERIA.length;

/** Whole scores whose weighted difference is half of the gap, as far as whole scores can say it: a margin of 0.1 in the gap is 0.05. */
export function scoresFor(gap: number): number[] {
  const points = Math.max(0, Math.min(TOP, Math.round(TOP * (0.5 + gap / 4))));
  return CRITERIA.map((_, index) => Math.floor((points + index) / CRITERIA.length));
}
