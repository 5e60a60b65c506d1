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
  /** The first round that is looked at; absent: 1. */
  readonly from?: number;
}

export interface Claim {
  readonly side: Side;
  /** The round with which it was made. */
  readonly round: number;
  readonly counts: Counts;
  readonly log_e: number;
}

/** What the trials said at the end of each round, one after the other. */
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
  /** Made once; it stays. */
  readonly claim: Claim | null;
  /** Later trials claimed the other side. */
  readonly reversed: boolean;
  /** The claim rests on it that missing trials did not all go to the other side. */
  readonly fragile: boolean;
  /** The round that showed that there is no difference above the margin. */
  readonly equivalent_at: number | null;
  /** By scenario: its trials are two or more, and known to repeat each other in all that the models said and called. */
  readonly repeats: readonly boolean[];
}

/**
 * Looks at the trials where it is allowed: a round is one trial of each scenario, and nothing is asked inside of it. While
 * the trials of every scenario only repeat each other nothing is concluded: copies are one observation.
 */
export function sequentialTestOf({ scenarios, deleted, from = 1 }: Trials, levels: Levels): SequentialTest {
  const rounds = scenarios.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const walk = new Walk(scenarios.length, levels, from);
  for (let round = 0; round < rounds; round += 1)
    walk.add(
      scenarios.flatMap((trials) => trials[round] ?? []),
      deleted,
    );
  return walk.sequential();
}

/** Whether the trials tell no more than one trial of each scenario would. */
export const isOnlyCopies = ({ repeats }: Pick<SequentialTest, "repeats">): boolean =>
  repeats.length > 0 && repeats.every(Boolean);

/**
 * How the conclusion follows from the sequential: a claim goes before an equivalence, two claims cancel each other, and one that
 * the missing trials could take back is none.
 */
export function conclusionOf({ claim, reversed, fragile, equivalent_at }: SequentialTest): Conclusion {
  if (reversed || fragile) return "undecided";
  if (claim) return claim.side === "a" ? "a_preferred" : "b_preferred";
  return equivalent_at === null ? "undecided" : "no_difference_above_margin";
}

/**
 * The counts that speak least for the side ahead, whatever the missing trials were. Its evidence falls with every loss until
 * both sides are level, and rises for the other side beyond that.
 */
export function worstCase({ wins, ties, losses }: Counts, missing: number): Counts {
  const given = Math.min(missing, Math.abs(wins - losses));
  return wins > losses ? { wins, ties, losses: losses + given } : { wins: wins + given, ties, losses };
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
  readonly #conducts: (string | null)[] = [];
  readonly #varies: boolean[];

  constructor(scenarios: number, levels: Levels, from: number) {
    this.#levels = levels;
    this.#from = from;
    this.#isEquivalent = equivalenceAt(levels);
    this.#varies = Array.from({ length: scenarios }, () => false);
  }

  add(round: readonly CountedTrial[], deleted: number): void {
    this.#count(round);
    this.#missing = round.reduce((sum, { missing_before }) => sum + missing_before, deleted);
    const { both, side } = this.#look(this.#counts);
    this.#logs.push(both);
    if (this.#logs.length < this.#from || this.#repeats().every(Boolean)) return;
    this.#greatest = Math.max(this.#greatest, both);
    if (side) this.#claimFor(side, both);
    if (this.#claim) this.#stands ||= this.#isSafe(this.#claim.side);
    else if (this.#equivalentAt === null && this.#isEquivalent(this.#counts, this.#uncertain()))
      this.#equivalentAt = this.#logs.length;
  }

  #count(round: readonly CountedTrial[]): void {
    let { wins, ties, losses } = this.#counts;
    for (const [index, { row, d }] of round.entries()) {
      if (d === 1) wins += 1;
      else if (d === -1) losses += 1;
      else ties += 1;
      if (row.outcome === "inconsistent") this.#inconsistent += 1;
      if (row.outcome === "inconclusive") this.#inconclusive += 1;
      if (this.#logs.length === 0) this.#conducts.push(row.conduct);
      if (row.conduct === null || row.conduct !== this.#conducts[index]) this.#varies[index] = true;
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
    return this.#varies.map((varies) => !varies && this.#logs.length > 1);
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
