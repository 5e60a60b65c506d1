import { Pace } from "../../runtime/pace.ts";
import { claimBorder } from "./claim-border.ts";
import { claimedSide, equivalenceAt, type IsEquivalent, type Levels, type Uncertain } from "./conclusion.ts";
import type { Counts } from "./e-process.ts";

/** Where a series is that has neither claimed nor shown that there is no difference. */
export interface Standing {
  readonly counts: Counts;
  readonly uncertain: Uncertain;
  /** Trials that the plan has left. */
  readonly left: number;
}

/** How likely the rest of the plan brings a conclusion. */
export interface Forecast {
  /** A claim or equivalence. */
  readonly chance_of_conclusion: number;
  readonly chance_of_claim: number;
}

/** Below this chance of a conclusion a series stops, when it stops when sure. */
export const LEAST_CHANCE = 0.02;

/** Trials left beyond which a forecast takes too long: a tenth of a second at this many. */
export const MAX_FORECAST = 400;

/** Places that the recursion looks at in the time of one unit of `Pace`. */
const PLACES_IN_A_UNIT = 2_000;

/**
 * The exact chance that the trials to come bring a conclusion before the plan ends. They fall as the trials so far did, with
 * one more of each kind (Polya's urn). Takes the third power of the trials left; others have their turn meanwhile.
 */
export async function forecast(standing: Standing, levels: Levels): Promise<Forecast> {
  const { claim, equivalence } = await drawn(standing, levels, Number.POSITIVE_INFINITY);
  return { chance_of_claim: claim, chance_of_conclusion: claim + equivalence };
}

/** Whether the same chance of a conclusion is below `LEAST_CHANCE`; mostly known after a part of the trials. */
export async function isUnlikely(standing: Standing, levels: Levels): Promise<boolean> {
  const { claim, equivalence } = await drawn(standing, levels, LEAST_CHANCE);
  return claim + equivalence < LEAST_CHANCE;
}

/** Draws until no trial is left or conclusions have a chance of `enough`. */
async function drawn(standing: Standing, levels: Levels, enough: number): Promise<Urn> {
  const urn = new Urn(standing, levels);
  const pace = new Pace();
  for (let step = 1; step <= standing.left && urn.claim + urn.equivalence < enough; step += 1) {
    const places = urn.draw(step);
    await pace.units(1 + places / PLACES_IN_A_UNIT);
  }
  return urn;
}

/** All sequentials that the trials to come can take, one trial after the other. */
class Urn {
  readonly #standing: Standing;
  readonly #isEquivalent: IsEquivalent;
  readonly #size: number;
  readonly #borders: Borders;
  /** How likely it is that the series goes on with so many wins and losses to come, at `won * size + lost`. */
  readonly #open: Float64Array;
  #closest: readonly number[] = [];
  /** Chances of a sequential so far to end so. */
  claim = 0;
  equivalence = 0;

  constructor(standing: Standing, levels: Levels) {
    this.#standing = standing;
    this.#isEquivalent = equivalenceAt(levels);
    this.#size = standing.left + 1;
    this.#borders = claimBorders(standing, levels);
    this.#open = new Float64Array(this.#size ** 2);
    this.#open[0] = 1;
  }

  /** Draws trial `step`, from 1. Gives the number of places that it looked at. */
  draw(step: number): number {
    this.#closest = closestToLevel(this.#standing, this.#isEquivalent, step, this.#closest);
    let places = this.#closest.length * PLACES_OF_A_SEARCH;
    // Downwards, so that the places that one is reached from are still as they were before this trial.
    for (let won = step; won >= 0; won -= 1) {
      const first = this.#borders.first[won] ?? 0;
      const last = Math.min(step - won, this.#borders.b[won] ?? 0);
      for (let lost = last; lost >= first; lost -= 1) this.#reach(won, lost, step);
      places += Math.max(0, last - first + 1);
    }
    return places;
  }

  #reach(won: number, lost: number, step: number): void {
    const { counts } = this.#standing;
    const open = this.#open;
    const place = won * this.#size + lost;
    const trials = counts.wins + counts.ties + counts.losses + step + 2;
    const byTie = (open[place] ?? 0) * (counts.ties + step - won - lost);
    const byLoss = lost > 0 ? (open[place - 1] ?? 0) * (counts.losses + lost) : 0;
    const byWin = won > 0 ? (open[place - this.#size] ?? 0) * (counts.wins + won) : 0;
    const chance = (byTie + byLoss + byWin) / trials;
    open[place] = 0;
    if (won >= (this.#borders.a[lost] ?? 0) || lost >= (this.#borders.b[won] ?? 0)) this.claim += chance;
    else if (Math.abs(counts.wins + won - counts.losses - lost) <= (this.#closest[won + lost] ?? -1))
      this.equivalence += chance;
    else open[place] = chance;
  }
}

interface Borders {
  /** Wins to come with which a claims, for each number of losses to come. */
  readonly a: readonly number[];
  /** The same for b. */
  readonly b: readonly number[];
  /** Losses to come below which a has claimed before, for each number of wins to come. */
  readonly first: readonly number[];
}

function claimBorders({ counts: { wins, losses }, left }: Standing, levels: Levels): Borders {
  const a = claimBorder({ wins, losses }, left, levels);
  let lost = 0;
  const first = Array.from({ length: left + 1 }, (_, won) => {
    while (lost <= left && (a[lost] ?? 0) < won) lost += 1;
    return lost;
  });
  return { a, b: claimBorder({ wins: losses, losses: wins }, left, levels), first };
}

/** The search below takes as long as so many places. */
const PLACES_OF_A_SEARCH = 50;

/**
 * By how much the sides may differ at most for equivalence, for each number of decisive trials to come; none beyond the end:
 * decisive trials in place of others only widen the range. One trial more without a winner narrows it, so that the search
 * goes on from what was found a trial before.
 */
function closestToLevel(
  { counts, uncertain }: Standing,
  isEquivalent: IsEquivalent,
  step: number,
  before: readonly number[],
): readonly number[] {
  const closest: number[] = [];
  for (let decisive = 0; decisive <= step; decisive += 1) {
    const all = counts.wins + counts.losses + decisive;
    const ties = counts.ties + step - decisive;
    const fits = (difference: number) =>
      isEquivalent({ wins: (all + difference) / 2, ties, losses: (all - difference) / 2 }, uncertain);
    let difference = (before[decisive] ?? (all % 2) - 2) + 2;
    while (difference <= all && fits(difference)) difference += 2;
    closest.push(difference - 2);
    if (decisive > 0 && closest.slice(-2).every((most) => most < 0)) break;
  }
  return closest;
}

/** Whether no outcome of the trials that are left can bring a conclusion. What they may show at best, they show at the end. */
export function cannotConclude({ counts, uncertain, left }: Standing, levels: Levels): boolean {
  const claims = (possible: Counts) => claimedSide(possible, levels) !== undefined;
  if (claims({ ...counts, wins: counts.wins + left }) || claims({ ...counts, losses: counts.losses + left }))
    return false;
  return !equivalenceAt(levels)(levelled(counts, left), uncertain);
}

/** After `more` trials that speak most for no difference: the side behind catches up, the rest has no winner. */
function levelled({ wins, ties, losses }: Counts, more: number): Counts {
  const won = Math.min(Math.max(0, losses - wins), more);
  const lost = Math.min(Math.max(0, wins - losses), more);
  return { wins: wins + won, losses: losses + lost, ties: ties + more - won - lost };
}

/** A forecast from fewer trials says nothing. */
const LEAST_TRIALS = 8;

const MOST_MORE = 10_000;

/**
 * How many more trials would make a claim if they split as the trials so far did; null when they are level, too few, or
 * more than 10,000 would be needed. On equal arms such a number comes true in a few of 100 cases.
 */
export function moreTrials(counts: Counts, levels: Pick<Levels, "alpha">): number | null {
  const trials = counts.wins + counts.ties + counts.losses;
  if (counts.wins === counts.losses || trials < LEAST_TRIALS) return null;
  const isEnough = (more: number) => {
    const factor = 1 + more / trials;
    return claimedSide({ wins: counts.wins * factor, ties: 0, losses: counts.losses * factor }, levels) !== undefined;
  };
  if (!isEnough(MOST_MORE)) return null;
  let [few, enough] = [-1, MOST_MORE];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}
