import { EFFICIENCY_FIGURES } from "../../src/domain/efficiency.ts";
import { ALPHA } from "../../src/domain/series-record.ts";
import { type UsedPair, usedRatio } from "../../src/statistics/claim/efficiency.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";
import type { Simulated } from "./gates.ts";

/** Both arms' figures are log-normal, and independent, which is the worst for a level that is split. */
interface Used {
  /** Standard deviation of the logarithm. */
  readonly sigma: number;
  readonly pairs: number;
  /** What the candidate uses on average over what the control does. */
  readonly ratio: number;
}

/** Shares of the series. */
interface CheaperRates {
  /** Something was claimed of some of the figures, at some look. */
  readonly claims: number;
  /** "Lower" stands for one figure, with the last pair. */
  readonly lower: number;
  /** The range of one figure missed the ratio, at some look. */
  readonly misses: number;
}

/** Looked at after every pair. */
export function cheaperRates(used: Used, { repetitions, seed }: Simulated): CheaperRates {
  const chance = chanceOf(seed);
  const counts = { claims: 0, lower: 0, misses: 0 };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const all = EFFICIENCY_FIGURES.map(() => pairsOf(used, chance));
    const looks = all.map((pairs) => pairs.map((_, last) => look(pairs.slice(0, last + 1))));
    const [one = []] = looks;
    if (looks.flat().some(({ claim }) => claim !== null)) counts.claims += 1;
    if (one.at(-1)?.claim === "lower") counts.lower += 1;
    if (one.some(({ low, high }) => low !== null && high !== null && (used.ratio < low || used.ratio > high)))
      counts.misses += 1;
  }
  const share = (count: number) => count / repetitions;
  return { claims: share(counts.claims), lower: share(counts.lower), misses: share(counts.misses) };
}

/** The share of series in which "lower" stands for one figure with the last pair. */
export function cheaperPower(used: Used, { repetitions, seed }: Simulated): number {
  const chance = chanceOf(seed);
  const told = Array.from({ length: repetitions }, () => look(pairsOf(used, chance)).claim);
  return told.filter((claim) => claim === "lower").length / repetitions;
}

const look = (pairs: readonly UsedPair[]) => usedRatio(pairs, { alpha: ALPHA, missing: 0 });

const pairsOf = ({ sigma, pairs, ratio }: Used, chance: Chance): readonly UsedPair[] =>
  Array.from({ length: pairs }, () => ({
    candidate: ratio * Math.exp(sigma * normal(chance)),
    control: Math.exp(sigma * normal(chance)),
  }));

/** By Box and Muller. */
const normal = (chance: Chance) => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
