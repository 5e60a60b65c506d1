import { type LogEvidence, logSum, MEAN_BETS } from "./e-process.ts";

/** The difference of one trial, -1 to 1, and the place of its scenario. */
export interface MeanTrial {
  readonly place: number;
  readonly d: number;
}

/** A bet that the mean is higher, or lower: it predicts each scenario by its earlier differences, the less the more it shrinks them. */
interface MeanBet {
  readonly stake: number;
  readonly shrink: number;
  readonly weight: number;
}

const SHRINKS = [0.5, 2, Number.POSITIVE_INFINITY];

const betsOf = (shrinks: readonly number[]): readonly MeanBet[] =>
  shrinks.flatMap((shrink) =>
    MEAN_BETS.map(({ stake, weight }) => ({ stake, shrink, weight: weight / shrinks.length })),
  );

/** What a round's factor for a mean needs: its trials, and by bet what was staked and predicted. */
interface MeanRound {
  readonly trials: number;
  readonly staked: Float64Array;
  readonly predicted: Float64Array;
}

/** Rounds beyond this are taken together: a range looks at each of them some fifty times. */
const MOST_ROUNDS = 2_000;

/**
 * The evidence of paired differences against a mean over trials of unlike scenarios. Where the mean of each round is that mean or
 * lies beyond it, the wealth of that side grows in no round on average: each factor is at most 1 by the inequality of the
 * arithmetic and the geometric mean (bets of Waudby-Smith and Ramdas, with a scenario's earlier trials as its prediction).
 */
export class MeanProcess {
  readonly #rounds: MeanRound[] = [];
  readonly #sums: Float64Array;
  readonly #counts: Float64Array;
  readonly #bets: readonly MeanBet[];
  readonly #up: Float64Array;
  readonly #down: Float64Array;

  /** @param predicts some bets predict each scenario; those on clusters do not */
  constructor(scenarios: number, rounds: readonly (readonly MeanTrial[])[], predicts = true) {
    this.#bets = betsOf(predicts ? SHRINKS : [Number.POSITIVE_INFINITY]);
    this.#up = new Float64Array(this.#bets.length);
    this.#down = new Float64Array(this.#bets.length);
    this.#sums = new Float64Array(scenarios);
    this.#counts = new Float64Array(scenarios);
    const together = Math.ceil(rounds.length / MOST_ROUNDS);
    for (let first = 0; first < rounds.length; first += together)
      this.#add(rounds.slice(first, first + together).flat());
  }

  #add(round: readonly MeanTrial[]): void {
    const staked = new Float64Array(this.#bets.length);
    const predicted = new Float64Array(this.#bets.length);
    for (const [index, { stake, shrink }] of this.#bets.entries()) {
      const guesses = round.map(({ place }) => (this.#sums[place] ?? 0) / ((this.#counts[place] ?? 0) + shrink));
      const most = guesses.reduce((largest, guess) => Math.max(largest, Math.abs(guess)), 0);
      const bet = stake / (1 + most);
      let [up, down] = [0, 0];
      for (const [at, { d }] of round.entries()) {
        const surprise = bet * (d - (guesses[at] ?? 0));
        up += Math.log1p(surprise);
        down += Math.log1p(-surprise);
      }
      this.#up[index] = (this.#up[index] ?? 0) + up;
      this.#down[index] = (this.#down[index] ?? 0) + down;
      staked[index] = bet;
      predicted[index] = guesses.reduce((sum, guess) => sum + guess, 0) / round.length;
    }
    this.#rounds.push({ trials: round.length, staked, predicted });
    for (const { place, d } of round) {
      this.#sums[place] = (this.#sums[place] ?? 0) + d;
      this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    }
  }

  /** Logarithms: `a` of the wealth against "the mean is `mean` or less", `b` against "or more". */
  logEvidence(mean: number): LogEvidence {
    let [a, b] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [index, { weight }] of this.#bets.entries()) {
      let [up, down] = [Math.log(weight) + (this.#up[index] ?? 0), Math.log(weight) + (this.#down[index] ?? 0)];
      for (const { trials, staked, predicted } of this.#rounds) {
        const fair = (staked[index] ?? 0) * (mean - (predicted[index] ?? 0));
        up -= trials * Math.log1p(fair);
        down -= trials * Math.log1p(-fair);
      }
      [a, b] = [logSum(a, up), logSum(b, down)];
    }
    return { a, b, both: logSum(a, b) - Math.LN2 };
  }

  /** The means whose evidence stays below a level, as a logarithm; null where there is none. */
  range(level: number): { readonly low: number; readonly high: number } | null {
    const contradicts = (mean: number) => this.logEvidence(mean).both >= level;
    const inside = this.#leastContradicted();
    if (contradicts(inside)) return null;
    const end = (outside: number) => (contradicts(outside) ? borderOf(contradicts, inside, outside) : outside);
    return { low: end(-1), high: end(1) };
  }

  /** The evidence is convex in the mean. The mean of the trials is not always among the means that it allows. */
  #leastContradicted(): number {
    const at = (mean: number) => ({ mean, both: this.logEvidence(mean).both });
    let [low, high] = [-1, 1];
    let [left, right] = [at(high - GOLDEN * (high - low)), at(low + GOLDEN * (high - low))];
    // Of the two points one is that of the step before.
    for (let step = 0; step < GOLDEN_STEPS; step += 1)
      if (left.both < right.both) {
        [high, right] = [right.mean, left];
        left = at(high - GOLDEN * (high - low));
      } else {
        [low, left] = [left.mean, right];
        right = at(low + GOLDEN * (high - low));
      }
    return (low + high) / 2;
  }
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** To a millionth. */
const GOLDEN_STEPS = 30;
const BORDER_STEPS = 30;

function borderOf(isOutside: (mean: number) => boolean, inside: number, outside: number): number {
  let [inner, outer] = [inside, outside];
  for (let step = 0; step < BORDER_STEPS; step += 1) {
    const middle = (inner + outer) / 2;
    if (isOutside(middle)) outer = middle;
    else inner = middle;
  }
  return inner;
}
