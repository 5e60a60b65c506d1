import { Pace } from "../pace.ts";
import { claimedSide, isEquivalent, type Levels, type Uncertain } from "./conclusion.ts";
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

/** Trials left beyond which a forecast takes too long: a third of a second at this many. */
export const MAX_FORECAST = 400;

/** Places that the recursion looks at in the time of one unit of `Pace`. */
const PLACES_IN_A_UNIT = 2_000;

/**
 * The exact chance that the trials to come bring a conclusion before the plan ends. They fall as the trials so far did, with
 * one more of each kind (Polya's urn). Takes the third power of the trials left; others have their turn meanwhile.
 */
export async function forecast(standing: Standing, levels: Levels): Promise<Forecast> {
  const { counts, left } = standing;
  const pace = new Pace();
  const claims = claimBorders(standing, levels);
  /** How likely it is that the series goes on with so many wins and losses to come, at `won * (left + 1) + lost`. */
  let open = new Float64Array((left + 1) ** 2);
  open[0] = 1;
  let closest: readonly number[] = [];
  const chances = { claim: 0, equivalence: 0 };
  for (let step = 1; step <= left; step += 1) {
    open = afterOneTrial(open, standing, step - 1);
    closest = closestToLevel(standing, levels, step, closest);
    const conclusionOf = (won: number, lost: number) => {
      if (won >= (claims.a[lost] ?? 0) || lost >= (claims.b[won] ?? 0)) return "claim";
      const difference = Math.abs(counts.wins + won - counts.losses - lost);
      return difference <= (closest[won + lost] ?? -1) ? "equivalence" : undefined;
    };
    for (let won = 0; won <= step; won += 1)
      for (let lost = 0; lost <= step - won; lost += 1) {
        const conclusion = conclusionOf(won, lost);
        if (conclusion === undefined) continue;
        const place = won * (left + 1) + lost;
        chances[conclusion] += open[place] ?? 0;
        open[place] = 0;
      }
    await pace.units(1 + (step * step) / 2 / PLACES_IN_A_UNIT);
  }
  return { chance_of_claim: chances.claim, chance_of_conclusion: chances.claim + chances.equivalence };
}

function afterOneTrial(open: Float64Array, { counts, left }: Standing, step: number): Float64Array<ArrayBuffer> {
  const next = new Float64Array(open.length);
  const balls = counts.wins + counts.ties + counts.losses + step + 3;
  for (let won = 0; won <= step; won += 1)
    for (let lost = 0; lost <= step - won; lost += 1) {
      const place = won * (left + 1) + lost;
      const part = (open[place] ?? 0) / balls;
      next[place + left + 1] = (next[place + left + 1] ?? 0) + part * (counts.wins + won + 1);
      next[place + 1] = (next[place + 1] ?? 0) + part * (counts.losses + lost + 1);
      next[place] = (next[place] ?? 0) + part * (counts.ties + step - won - lost + 1);
    }
  return next;
}

/** Wins to come with which a claims, for each number of losses to come, and the same for b. Ties change nothing of it. */
function claimBorders({ counts: { wins, losses }, left }: Standing, levels: Levels) {
  const borders = (ahead: number, behind: number) => {
    let needed = 0;
    return Array.from({ length: left + 1 }, (_, more) => {
      while (needed <= left && claimedSide({ wins: ahead + needed, ties: 0, losses: behind + more }, levels) !== "a")
        needed += 1;
      return needed;
    });
  };
  return { a: borders(wins, losses), b: borders(losses, wins) };
}

/**
 * By how much the sides may differ at most for equivalence, for each number of decisive trials to come; none beyond the end:
 * decisive trials in place of others only widen the range. One trial more without a winner narrows it, so that the search
 * goes on from what was found a trial before.
 */
function closestToLevel(
  { counts, uncertain }: Standing,
  levels: Levels,
  step: number,
  before: readonly number[],
): readonly number[] {
  const closest: number[] = [];
  for (let decisive = 0; decisive <= step; decisive += 1) {
    const all = counts.wins + counts.losses + decisive;
    const ties = counts.ties + step - decisive;
    const fits = (difference: number) =>
      isEquivalent({ wins: (all + difference) / 2, ties, losses: (all - difference) / 2 }, uncertain, levels);
    let difference = (before[decisive] ?? (all % 2) - 2) + 2;
    while (difference <= all && fits(difference)) difference += 2;
    closest.push(difference - 2);
    if (decisive > 0 && closest.slice(-2).every((most) => most < 0)) break;
  }
  return closest;
}

/** Whether no outcome of the trials that are left can bring a conclusion. What they may show at best, they show at the end. */
export function isOutOfReach({ counts, uncertain, left }: Standing, levels: Levels): boolean {
  const claims = (possible: Counts) => claimedSide(possible, levels) !== undefined;
  if (claims({ ...counts, wins: counts.wins + left }) || claims({ ...counts, losses: counts.losses + left }))
    return false;
  return !isEquivalent(levelled(counts, left), uncertain, levels);
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
