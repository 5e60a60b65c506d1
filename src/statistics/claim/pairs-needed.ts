import { Pace } from "../../runtime/pace.ts";
import type { Levels } from "./conclusion.ts";
import { logWealthOf, type Wager, wagersAgainst } from "./e-process.ts";
import { NOW, wealthNeeded } from "./rules.ts";
import type { SequentialTest } from "./sequential-test.ts";

/** Nobody plans more for an answer. */
const MOST_PAIRS = 5_000;

/** Fewer decided pairs so far may be chance. */
const LEAST_DECIDED = 0.05;

/** Up to so many pairs each is looked at; later looks lie ever farther apart, though a series looks after each round. */
const ALL_LOOKS = 256;

/** What lies farther from its mean happens in less than one of a million series. */
const DEVIATIONS = 5.5;

/** Some tenths of a second. Where so many do not do, the bets hardly grow on such arms, and thousands of pairs would not do either. */
const MOST_PLACES = 6_000_000;

/** Cells that the recursion visits in one unit of `Pace`. */
const PLACES_IN_A_UNIT = 2_000;

const MOST_KNOWN = 500;
const known = new Map<string, Promise<number | null>>();

/**
 * With so many pairs half of all series of equal arms, whose pairs are as often decided as these, show that an arm is not worse.
 * Null above 5,000, where they cannot be counted in bounded time, and where the judge leaves too much undecided. Rates are taken in whole points, so that few are computed.
 */
export function pairsNeeded({ counts, uncertain }: SequentialTest, levels: Levels): Promise<number | null> | null {
  const { wins, losses, ties } = counts;
  const pairs = wins + ties + losses;
  const { alpha, not_worse_by = 0, rules = NOW } = levels;
  if (pairs === 0) return null;
  const points = (share: number) => Math.round(share * 100) / 100;
  const decided = Math.max(LEAST_DECIDED, points((wins + losses) / pairs));
  const undecided = Math.min(1 - decided, points(uncertain.undecided / pairs));
  if (undecided >= not_worse_by) return null;
  const enough = wealthNeeded(alpha, rules);
  const key = [decided, undecided, not_worse_by, enough].join(" ");
  const found =
    known.get(key) ??
    openAfter(
      { win: decided / 2, loss: decided / 2 + undecided },
      { bets: wagersAgainst(-not_worse_by).a, enough },
      { pairs: MOST_PAIRS, share: 0.5 },
    ).then((found) => (found !== null && found.open >= 0.5 ? found.pairs : null));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, found);
  return found;
}

interface Rates {
  readonly win: number;
  /** What is undecided counts as lost. */
  readonly loss: number;
}

interface Test {
  readonly bets: readonly Wager[];
  /** The wealth that shows it. */
  readonly enough: number;
}

/** The chance that so many pairs show that an arm is not worse; null above 5,000, and where it takes too long. */
export async function chanceOfPassing(pairs: number, rates: Rates, levels: Levels): Promise<number | null> {
  const { alpha, not_worse_by = 0, rules = NOW } = levels;
  if (pairs > MOST_PAIRS) return null;
  const test = { bets: wagersAgainst(-not_worse_by).a, enough: wealthNeeded(alpha, rules) };
  return (await openAfter(rates, test, { pairs, share: 1 }))?.open ?? null;
}

interface Until {
  readonly pairs: number;
  /** Of series whose gate has opened. */
  readonly share: number;
}

/** How many pairs were looked at, and in what share of series the gate has opened by then; null where that takes too long. */
async function openAfter(rates: Rates, test: Test, until: Until): Promise<{ pairs: number; open: number } | null> {
  const pace = new Pace();
  let [open, shut] = [0, { ...windowAt(0, rates), chances: new Float64Array([1]) } as Shut];
  let places = 0;
  for (let pairs = 1; places < MOST_PLACES; pairs += 1) {
    shut = withOneMore(shut, windowAt(pairs, rates), rates);
    const apart = 2 ** Math.max(0, Math.floor(Math.log2(pairs / ALL_LOOKS)));
    if (pairs % apart === 0) open += opened(shut, pairs, test);
    if (open >= until.share || pairs === until.pairs) return { pairs, open };
    places += shut.chances.length;
    await pace.units(shut.chances.length / PLACES_IN_A_UNIT);
  }
  return null;
}

/** Wins and losses that are worth a look: from the first number on, so many. */
interface Window {
  readonly wins: number;
  readonly width: number;
  readonly losses: number;
  readonly height: number;
}

/** The chance of each number of wins and losses in it, without that the gate has opened. */
interface Shut extends Window {
  readonly chances: Float64Array;
}

function windowAt(pairs: number, { win, loss }: Rates): Window {
  const [fewestWins, mostWins] = near(pairs, win);
  const [fewestLosses, mostLosses] = near(pairs, loss);
  return {
    ...{ wins: fewestWins, width: mostWins - fewestWins + 1 },
    ...{ losses: fewestLosses, height: mostLosses - fewestLosses + 1 },
  };
}

function near(pairs: number, rate: number): readonly [number, number] {
  const far = DEVIATIONS * Math.sqrt(pairs * rate * (1 - rate)) + DEVIATIONS;
  return [Math.max(0, Math.floor(pairs * rate - far)), Math.min(pairs, Math.ceil(pairs * rate + far))];
}

function withOneMore(before: Shut, now: Window, { win, loss }: Rates): Shut {
  const { width } = now;
  const chances = new Float64Array(width * now.height);
  const tie = 1 - win - loss;
  const give = (place: number, chance: number) => {
    chances[place] = (chances[place] ?? 0) + chance;
  };
  for (let row = Math.max(0, now.losses - before.losses); row < before.height; row += 1) {
    const down = before.losses + row - now.losses;
    for (let column = Math.max(0, now.wins - before.wins); column < before.width; column += 1) {
      const chance = before.chances[row * before.width + column] ?? 0;
      const right = before.wins + column - now.wins;
      const place = down * width + right;
      give(place, chance * tie);
      if (right + 1 < width) give(place + 1, chance * win);
      if (down + 1 < now.height) give(place + width, chance * loss);
    }
  }
  return { ...now, chances };
}

/** Takes out what opens after so many pairs, and returns its chance: of those with as many losses, the ones with most wins. */
function opened({ chances, width, height, ...first }: Shut, pairs: number, { bets, enough }: Test): number {
  let open = 0;
  for (let row = 0; row < height; row += 1) {
    const losses = first.losses + row;
    for (let column = Math.min(width - 1, pairs - losses - first.wins); column >= 0; column -= 1) {
      const wins = first.wins + column;
      const counts = { wins, losses, ties: pairs - wins - losses };
      if (bets.reduce((wealth, bet) => wealth + Math.exp(logWealthOf(counts, bet)), 0) < enough) break;
      open += chances[row * width + column] ?? 0;
      chances[row * width + column] = 0;
    }
  }
  return open;
}
