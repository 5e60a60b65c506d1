import type { Conclusion } from "../../domain/series-summary.ts";
import type { Side } from "../../domain/verdict.ts";
import { equivalenceAt, type IsEquivalent, type Levels, sideOf, type Uncertain } from "./conclusion.ts";
import { type Counts, logEvidence } from "./e-process.ts";
import type { CountedTrial } from "./tally.ts";

/** The trials that count of each scenario, in the order of creation. */
interface Trials {
  readonly scenarios: readonly (readonly CountedTrial[])[];
  /** Trials that are gone; nobody knows from where. */
  readonly deleted: number;
  /** Rounds that some scenarios lack a trial of; absent: every round has one of each. */
  readonly given_up?: GivenUp;
  /** The first round that is tested; absent: 1. */
  readonly from?: number;
}

/** Rounds are complete without trials that are lost for good; these are missing, and a claim must survive their worst case. */
export interface GivenUp {
  readonly rounds: number;
  /** Trials that are missing in rounds up to this one, from 1. */
  readonly missingUntil: (round: number) => number;
}

export interface Claim {
  readonly side: Side;
  /** The round that completed the claim. */
  readonly round: number;
  readonly counts: Counts;
  readonly log_e: number;
}

/** What the trials showed at the end of each round. */
export interface SequentialTest {
  /** Natural logarithm of the evidence after each round. */
  readonly log_e: readonly number[];
  /** After the last round. */
  readonly counts: Counts;
  readonly uncertain: Uncertain;
  /** Among the ties of `counts`. */
  readonly inconsistent: number;
  readonly inconclusive: number;
  /** Natural logarithm of the greatest evidence that could have made a claim; 0 without any. */
  readonly greatest: number;
  /** Once made, it stays. */
  readonly claim: Claim | null;
  /** Later trials claimed the other side. */
  readonly reversed: boolean;
  /** The claim would fail if all missing trials had gone to the other side. */
  readonly fragile: boolean;
  /** The round that showed that there is no difference above the margin. */
  readonly equivalent_at: number | null;
  /** By scenario: it has at least two trials, and all are identical in what the models said and called. */
  readonly repeats: readonly boolean[];
}

/**
 * Tests the trials only at the end of each round, where that is valid; a round is one trial of each scenario. While
 * the trials of every scenario are identical, nothing is concluded, because copies are one observation.
 */
export function sequentialTestOf({ scenarios, deleted, given_up, from = 1 }: Trials, levels: Levels): SequentialTest {
  const shortest = scenarios.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const walk = new Walk(scenarios.length, levels, from);
  const placed = scenarios.flatMap((trials, place) => trials.map((trial) => ({ ...trial, place })));
  const inRound = Map.groupBy(placed, ({ round }) => round);
  for (let round = 1; round <= (given_up?.rounds ?? shortest); round += 1) {
    const trials = inRound.get(round) ?? [];
    const before = trials.reduce((sum, { missing_before }) => sum + missing_before, deleted);
    walk.add(trials, given_up ? deleted + given_up.missingUntil(round) : before);
  }
  return walk.sequential();
}

/** Whether the trials show no more than one trial of each scenario would. */
export const isOnlyCopies = ({ repeats }: Pick<SequentialTest, "repeats">): boolean =>
  repeats.length > 0 && repeats.every(Boolean);

/**
 * The conclusion of the test: a claim has priority over an equivalence, two opposite claims cancel each other, and a claim that
 * the missing trials could revoke does not count.
 */
export function conclusionOf({ claim, reversed, fragile, equivalent_at }: SequentialTest): Conclusion {
  if (reversed || fragile) return "undecided";
  if (claim) return claim.side === "a" ? "a_preferred" : "b_preferred";
  return equivalent_at === null ? "undecided" : "no_difference_above_margin";
}

/**
 * The counts that support the side ahead least, whatever the missing trials were. Its evidence falls with every loss until
 * both sides are level, and rises for the other side beyond that.
 */
export function worstCase({ wins, ties, losses }: Counts, missing: number): Counts {
  const given = Math.min(missing, Math.abs(wins - losses));
  return wins > losses ? { wins, ties, losses: losses + given } : { wins: wins + given, ties, losses };
}

interface PlacedTrial extends CountedTrial {
  /** Of its scenario. */
  readonly place: number;
}

class Walk {
  readonly #levels: Levels;
  readonly #from: number;
  readonly #isEquivalent: IsEquivalent;
  readonly #logs: number[] = [];
  #counts: Counts = { wins: 0, ties: 0, losses: 0 };
  #inconsistent = 0;
  #inconclusive = 0;
  #missing = 0;
  #greatest = 0;
  #claim: Claim | null = null;
  #reversed = false;
  #stands = false;
  #equivalentAt: number | null = null;
  /** By scenario, of its first trial. */
  readonly #conducts: (string | null | undefined)[] = [];
  readonly #varies: boolean[];
  readonly #trials: number[];

  constructor(scenarios: number, levels: Levels, from: number) {
    this.#levels = levels;
    this.#from = from;
    this.#isEquivalent = equivalenceAt(levels);
    this.#varies = Array.from({ length: scenarios }, () => false);
    this.#trials = Array.from({ length: scenarios }, () => 0);
  }

  add(round: readonly PlacedTrial[], missing: number): void {
    this.#count(round);
    this.#missing = missing;
    const { both, side } = this.#look(this.#counts);
    this.#logs.push(both);
    if (this.#logs.length < this.#from || this.#isOnlyRepeats()) return;
    this.#greatest = Math.max(this.#greatest, both);
    if (side) this.#claimFor(side, both);
    if (this.#claim) this.#stands ||= this.#isSafe(this.#claim.side);
    else if (this.#equivalentAt === null && this.#isEquivalent(this.#counts, this.#uncertain()))
      this.#equivalentAt = this.#logs.length;
  }

  #count(round: readonly PlacedTrial[]): void {
    let { wins, ties, losses } = this.#counts;
    for (const { row, d, place } of round) {
      if (d === 1) wins += 1;
      else if (d === -1) losses += 1;
      else ties += 1;
      if (row.outcome === "inconsistent") this.#inconsistent += 1;
      if (row.outcome === "inconclusive") this.#inconclusive += 1;
      if (this.#conducts[place] === undefined) this.#conducts[place] = row.conduct;
      if (row.conduct === null || row.conduct !== this.#conducts[place]) this.#varies[place] = true;
      this.#trials[place] = (this.#trials[place] ?? 0) + 1;
    }
    this.#counts = { wins, ties, losses };
  }

  #look(counts: Counts) {
    const evidence = logEvidence(counts);
    return { both: evidence.both, side: sideOf(evidence, this.#levels.alpha) };
  }

  #claimFor(side: Side, log_e: number): void {
    if (this.#claim) this.#reversed ||= this.#claim.side !== side;
    else this.#claim = { side, round: this.#logs.length, counts: this.#counts, log_e };
  }

  #isSafe(side: Side): boolean {
    return this.#look(worstCase(this.#counts, this.#missing)).side === side;
  }

  /** One trial cannot repeat another. */
  #repeats(): readonly boolean[] {
    return this.#varies.map((varies, place) => !varies && (this.#trials[place] ?? 0) > 1);
  }

  /** Whether every scenario only repeats itself. Avoids building the list of `#repeats` in each round. */
  #isOnlyRepeats(): boolean {
    return this.#varies.every((varies, place) => !varies && (this.#trials[place] ?? 0) > 1);
  }

  #uncertain(): Uncertain {
    return { undecided: this.#inconsistent + this.#inconclusive, missing: this.#missing };
  }

  sequential(): SequentialTest {
    return {
      log_e: this.#logs,
      counts: this.#counts,
      uncertain: this.#uncertain(),
      inconsistent: this.#inconsistent,
      inconclusive: this.#inconclusive,
      greatest: this.#greatest,
      claim: this.#claim,
      reversed: this.#reversed,
      fragile: this.#claim !== null && !this.#stands,
      equivalent_at: this.#equivalentAt,
      repeats: this.#repeats(),
    };
  }
}
