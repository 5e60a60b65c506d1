import type { Side } from "../../domain/verdict.ts";
import { Pace } from "../../runtime/pace.ts";
import { claimedSide, equivalenceAt, type IsEquivalent, type Levels, type Uncertain } from "./conclusion.ts";
import type { Counts } from "./e-process.ts";
import { showsNotWorse } from "./not-worse.ts";
import { winChances } from "./prior.ts";

/** The state of a series without a conclusion. */
export interface Standing {
  readonly counts: Counts;
  readonly uncertain: Uncertain;
  /** Remaining trials of the plan. */
  readonly left: number;
  /** Trials that show that this arm is not worse are a conclusion as well. */
  readonly not_worse?: Side;
}

/** How likely the rest of the plan leads to a conclusion. */
export interface Forecast {
  /** A claim or equivalence. */
  readonly chance_of_conclusion: number;
  readonly chance_of_claim: number;
}

/** With `stop_when_sure`, a series stops below this chance of a conclusion. */
export const LEAST_CHANCE = 0.02;

/** A forecast of this many remaining trials takes a tenth of a second. One of more is not made: it would take too long. */
export const MAX_FORECAST = 400;

/** Cells that the recursion visits in one unit of `Pace`. */
const PLACES_IN_A_UNIT = 2_000;

/**
 * The exact chance that the remaining trials lead to a conclusion before the plan ends, as `winChances` expects them; the share of ties
 * may be any alike. Takes cubic time in the remaining trials, and yields to other work meanwhile.
 */
export async function forecast(standing: Standing, levels: Levels): Promise<Forecast> {
  const { claim, equivalence } = await drawn(standing, levels, Number.POSITIVE_INFINITY);
  return { chance_of_claim: claim, chance_of_conclusion: claim + equivalence };
}

/** Whether the same chance of a conclusion, of all that the series waits for, is below `LEAST_CHANCE`; mostly known after a part of the trials. Never of few trials. */
export async function isUnlikely(standing: Standing, levels: Levels): Promise<boolean> {
  const { wins, ties, losses } = standing.counts;
  if (wins + ties + losses < LEAST_TRIALS) return false;
  const { claim, equivalence } = await drawn(standing, levels, LEAST_CHANCE);
  return claim + equivalence < LEAST_CHANCE;
}

/** Draws until no trial remains or conclusions have a chance of `enough`. */
async function drawn(standing: Standing, levels: Levels, enough: number): Promise<Urn> {
  const urn = new Urn(standing, levels);
  const pace = new Pace();
  for (let step = 1; step <= standing.left && urn.claim + urn.equivalence < enough; step += 1) {
    const places = urn.draw(step);
    await pace.units(1 + places / PLACES_IN_A_UNIT);
  }
  return urn;
}

/** All paths that the remaining trials can take, trial by trial. */
class Urn {
  readonly #standing: Standing;
  readonly #isEquivalent: IsEquivalent;
  readonly #isNotWorse: (counts: Counts) => boolean;
  readonly #size: number;
  readonly #borders: Borders;
  /** The probability that the series is still open after this many further wins and losses, at `won * size + lost`. */
  readonly #open: Float64Array;
  /** The chance that a decided trial is won, at the same places. */
  readonly #wins: Float64Array;
  #closest: readonly number[] = [];
  /** Probabilities of these ends so far. */
  claim = 0;
  equivalence = 0;

  constructor(standing: Standing, levels: Levels) {
    this.#standing = standing;
    this.#isEquivalent = equivalenceAt(levels);
    this.#isNotWorse = notWorseIn(standing, levels);
    this.#size = standing.left + 1;
    this.#borders = claimBorders(standing, levels);
    this.#open = new Float64Array(this.#size ** 2);
    this.#open[0] = 1;
    this.#wins = winChances(standing.counts, standing.left);
  }

  /** Draws trial `step`, from 1. Returns the number of cells that it visited. */
  draw(step: number): number {
    this.#closest = closestToLevel(this.#standing, this.#isEquivalent, step, this.#closest);
    let places = this.#closest.length * PLACES_OF_A_SEARCH;
    // Downwards, so that the cells that lead to one still hold the values from before this trial.
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
    const trials = counts.wins + counts.ties + counts.losses + step + 1;
    const wins = this.#wins;
    const byTie = at(open, place) * (counts.ties + step - won - lost);
    const byLoss = lost > 0 ? at(open, place - 1) * (1 - at(wins, place - 1)) : 0;
    const byWin = won > 0 ? at(open, place - this.#size) * at(wins, place - this.#size) : 0;
    const chance = (byTie + (byLoss + byWin) * (counts.wins + counts.losses + won + lost)) / trials;
    open[place] = 0;
    if (won >= (this.#borders.a[lost] ?? 0) || lost >= (this.#borders.b[won] ?? 0)) this.claim += chance;
    else if (this.#isSettled(won, lost, step)) this.equivalence += chance;
    else open[place] = chance;
  }

  /** It is concluded without a claim. */
  #isSettled(won: number, lost: number, step: number): boolean {
    const { counts } = this.#standing;
    const [wins, losses] = [counts.wins + won, counts.losses + lost];
    if (Math.abs(wins - losses) <= (this.#closest[won + lost] ?? -1)) return true;
    return this.#isNotWorse({ wins, losses, ties: counts.ties + step - won - lost });
  }
}

const at = (chances: Float64Array, place: number) => chances[place] ?? 0;

const notWorseIn = ({ not_worse, uncertain }: Standing, levels: Levels) =>
  not_worse ? showsNotWorse(not_worse, uncertain, levels) : () => false;

interface Borders {
  /** Further wins with which a claims, for each number of further losses. */
  readonly a: readonly number[];
  /** The same for b. */
  readonly b: readonly number[];
  /** Further losses below which a has claimed before, for each number of further wins. */
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

/** The search below takes as long as this many cells. */
const PLACES_OF_A_SEARCH = 50;

/**
 * The largest difference of the sides that still shows equivalence, for each number of further decisive trials; none beyond the end:
 * a decisive trial in place of another only widens the range. Each further trial without a winner narrows it, so the search
 * continues from the result of the trial before.
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

/** Whether no outcome of the remaining trials leads to a conclusion. Their best case is reached at the end. */
export function cannotConclude({ counts, uncertain, left, ...rest }: Standing, levels: Levels): boolean {
  const claims = (possible: Counts) => claimedSide(possible, levels) !== undefined;
  const best = [
    { ...counts, wins: counts.wins + left },
    { ...counts, losses: counts.losses + left },
  ];
  if (best.some(claims) || best.some(notWorseIn({ counts, uncertain, left, ...rest }, levels))) return false;
  return !equivalenceAt(levels)(levelled(counts, left), uncertain);
}

/** After `more` trials that support no difference most: the side behind catches up, the rest has no winner. */
function levelled({ wins, ties, losses }: Counts, more: number): Counts {
  const won = Math.min(Math.max(0, losses - wins), more);
  const lost = Math.min(Math.max(0, wins - losses), more);
  return { wins: wins + won, losses: losses + lost, ties: ties + more - won - lost };
}

/** A forecast from fewer trials is meaningless. */
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

/**
 * Wins to come with which a side claims, for each number of losses to come up to `most`; more than `most` where so many do not
 * do. Ties change nothing of it.
 */
export function claimBorder(
  { wins, losses }: Pick<Counts, "wins" | "losses">,
  most: number,
  levels: Pick<Levels, "alpha">,
): readonly number[] {
  let needed = 0;
  return Array.from({ length: most + 1 }, (_, more) => {
    while (needed <= most && claimedSide({ wins: wins + needed, ties: 0, losses: losses + more }, levels) !== "a")
      needed += 1;
    return needed;
  });
}
