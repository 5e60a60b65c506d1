import type { Conclusion } from "../../domain/series-summary.ts";
import type { Side } from "../../domain/verdict.ts";
import { betOn, type PlacedTrial, placed } from "./clusters.ts";
import { type Levels, sideOf, type Uncertain, withinMargin } from "./conclusion.ts";
import { againstNoPreference, type Counts, netOf, sumOf } from "./e-process.ts";
import type { runningRange } from "./interval.ts";
import { Mixture } from "./mixture.ts";
import { NotWorse } from "./not-worse.ts";
import { NOW } from "./rules.ts";
import type { CountedTrial, Difference } from "./tally.ts";

/** The trials that count of each scenario, in the order of creation. */
interface Trials {
  readonly scenarios: readonly (readonly CountedTrial[])[];
  /** Trials that are gone; nobody knows from where. */
  readonly deleted: number;
  /** Rounds that some scenarios lack a trial of; absent: every round has one of each. */
  readonly given_up?: GivenUp;
  /** The first round that is tested; absent: 1. */
  readonly from?: number;
  /** By round: the shares of the wealth that bet on the trials from it on. Absent: one bets on all. */
  readonly starts?: ReadonlyMap<number, number>;
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

/** Logarithms of one-sided evidence after a round, with all that is missing lost. */
export interface SidedEvidence {
  /** That the side is better. */
  readonly better: Readonly<Record<Side, number>>;
  /** That it is not worse by the allowed difference. */
  readonly not_worse: Readonly<Record<Side, number>>;
  /** The side of which a series of these two arms alone would claim that it is better. */
  readonly claimed: Side | null;
}

/** What the trials showed at the end of each round. */
export interface SequentialTest {
  /** Natural logarithm of the evidence after each round. */
  readonly log_e: readonly number[];
  /** By round. Empty where nobody asked. */
  readonly sided: readonly SidedEvidence[];
  /** Trials after the last round. */
  readonly counts: Counts;
  /** What they are worth as evidence: the same, or the means of clusters. */
  readonly bet: Counts;
  readonly uncertain: Uncertain;
  /** Among the ties of `counts`. */
  readonly inconsistent: number;
  readonly inconclusive: number;
  /** Natural logarithm of the greatest evidence that could have made a claim; 0 without any. */
  readonly greatest: number;
  /** The first that was made. */
  readonly claim: Claim | null;
  /** The evidence for it is enough now, where a claim holds no longer than that. */
  readonly stands: boolean;
  /** The win rates that no look contradicted; null: there are none. Absent: nobody asked. */
  readonly range?: ReturnType<typeof runningRange>;
  /** The counts at the looks that the range is made of. */
  readonly looks: readonly Counts[];
  /** The round that showed that an arm is not worse than the other by more than the allowed difference. */
  readonly not_worse_at: Readonly<Record<Side, number | null>>;
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
export function sequentialTestOf(
  { scenarios, deleted, given_up, from = 1, starts }: Trials,
  levels: Levels,
): SequentialTest {
  const shortest = scenarios.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const { fresh } = levels.rules ?? NOW;
  const walk = new Walk(scenarios.length, levels, { from, starts: starts ?? new Map([[1, fresh]]) });
  const inRound = Map.groupBy(placed(scenarios), ({ round }) => round);
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
export function conclusionOf(test: SequentialTest): Conclusion {
  const { claim, stands, reversed, fragile, equivalent_at } = test;
  if (reversed || fragile || (claim && !stands) || (!claim && equivalent_at === null)) return "undecided";
  if (test.range === null) return "undecided";
  if (claim) return claim.side === "a" ? "a_preferred" : "b_preferred";
  return "no_difference_above_margin";
}

/**
 * The counts that support the side ahead least, whatever the missing trials were. Its evidence falls with every loss until
 * both sides are level, and rises for the other side beyond that.
 */
export const worstCase = (counts: Counts, missing: number): Counts => sumOf(counts, lostToOther(counts, missing));

/** Missing trials as they would have gone to the side behind, until both are level. One that is missing counts as a whole cluster. */
function lostToOther(counts: Counts, missing: number): Counts {
  const ahead = netOf(counts);
  const given = Math.min(missing, Math.round(Math.abs(ahead)));
  return ahead > 0 ? { wins: 0, ties: 0, losses: given } : { wins: given, ties: 0, losses: 0 };
}

interface Bets {
  readonly from: number;
  readonly starts: ReadonlyMap<number, number>;
}

/** Looks at which the range is taken: all of the first, later ones ever farther apart. Which are taken never depends on what they show. */
const ALL_LOOKS = 256;

const NONE: Counts = { wins: 0, ties: 0, losses: 0 };
const NOTHING: SidedEvidence = { better: { a: 0, b: 0 }, not_worse: { a: 0, b: 0 }, claimed: null };

class Walk {
  readonly #levels: Levels;
  readonly #bets: Bets;
  readonly #wealth: Mixture;
  readonly #notWorse: NotWorse;
  readonly #isWithin: (counts: Counts) => boolean;
  readonly #looks: Counts[] = [];
  readonly #logs: number[] = [];
  readonly #sided: SidedEvidence[] = [];
  #counts: Counts = NONE;
  #bet: Counts = NONE;
  /** As `#bet`, with what nobody decided given to the other arm. */
  #worst: Readonly<Record<Side, Counts>> = { a: NONE, b: NONE };
  #inconsistent = 0;
  #inconclusive = 0;
  #missing = 0;
  #greatest = 0;
  #claim: Claim | null = null;
  #reversed = false;
  /** It is safe from missing trials. */
  #isFirm = false;
  /** Of the claim. */
  #stands = false;
  #equivalentAt: number | null = null;
  /** By scenario, of its first trial. */
  readonly #conducts: (string | null | undefined)[] = [];
  readonly #varies: boolean[];
  readonly #trials: number[];

  constructor(scenarios: number, levels: Levels, bets: Bets) {
    this.#levels = levels;
    this.#bets = bets;
    this.#notWorse = new NotWorse(levels);
    this.#wealth = new Mixture(againstNoPreference(levels.rules));
    this.#isWithin = withinMargin(levels);
    this.#varies = Array.from({ length: scenarios }, () => false);
    this.#trials = Array.from({ length: scenarios }, () => 0);
  }

  add(round: readonly PlacedTrial[], missing: number): void {
    const share = this.#bets.starts.get(this.#logs.length + 1);
    if (share !== undefined) this.#begin(share);
    this.#count(round);
    this.#missing = missing;
    const { both } = this.#wealth.evidence();
    this.#logs.push(both);
    if (this.#logs.length >= this.#bets.from && !this.#isOnlyRepeats()) this.#look(both, missing);
    if (this.#levels.sided) this.#sided.push(this.#isOnlyRepeats() ? NOTHING : this.#sides());
  }

  #look(both: number, missing: number): void {
    this.#keepLook();
    this.#notWorse.look(this.#logs.length, this.#bet, missing);
    this.#greatest = Math.max(this.#greatest, both);
    const side = this.#sideWith(0);
    if (side) this.#claimFor(side, both);
    this.#stands = this.#claim !== null && (side === this.#claim.side || this.#levels.rules?.lapses === false);
    if (this.#claim) this.#isFirm ||= this.#isSafe(this.#claim.side);
    else if (this.#equivalentAt === null && this.#isEquivalent()) this.#equivalentAt = this.#logs.length;
  }

  #sides(): SidedEvidence {
    const missing = this.#missing;
    const { a } = this.#wealth.evidence({ wins: 0, ties: 0, losses: missing });
    const { b } = this.#wealth.evidence({ wins: missing, ties: 0, losses: 0 });
    const claimed = this.#claim && this.#stands && this.#isFirm && !this.#reversed ? this.#claim.side : null;
    return { better: { a, b }, not_worse: this.#notWorse.evidence(this.#bet, missing), claimed };
  }

  #begin(share: number): void {
    this.#wealth.begin(share);
    this.#notWorse.begin(share);
  }

  #keepLook(): void {
    const round = this.#logs.length;
    const apart = 2 ** Math.max(0, Math.floor(Math.log2(round / ALL_LOOKS)));
    if (round % apart === 0) this.#looks.push(this.#bet);
  }

  /** Also when every uncertain trial is given to one side. */
  #isEquivalent(): boolean {
    const { a, b } = this.#worst;
    const lost = sumOf(a, { wins: 0, ties: 0, losses: this.#missing });
    return [this.#bet, lost, sumOf(b, { wins: this.#missing, ties: 0, losses: 0 })].every(this.#isWithin);
  }

  #count(round: readonly PlacedTrial[]): void {
    for (const { row, place, undecided: why } of round) {
      if (why === "inconsistent") this.#inconsistent += 1;
      if (why === "inconclusive") this.#inconclusive += 1;
      if (this.#conducts[place] === undefined) this.#conducts[place] = row.conduct;
      if (row.conduct === null || row.conduct !== this.#conducts[place]) this.#varies[place] = true;
      this.#trials[place] = (this.#trials[place] ?? 0) + 1;
    }
    this.#addBets(round);
  }

  #addBets(round: readonly PlacedTrial[]): void {
    const { clusters } = this.#levels;
    const trials = betOn(round, undefined);
    const bet = clusters ? betOn(round, clusters) : trials;
    const isOpen = round.some(({ undecided }) => undecided);
    const worst = (lost: Difference) =>
      isOpen ? betOn(round, clusters, ({ d, undecided }) => (undecided ? lost : d)) : bet;
    const worse = { a: worst(-1), b: worst(1) };
    this.#wealth.add(bet);
    this.#notWorse.add(worse);
    this.#worst = { a: sumOf(this.#worst.a, worse.a), b: sumOf(this.#worst.b, worse.b) };
    this.#bet = sumOf(this.#bet, bet);
    this.#counts = clusters ? sumOf(this.#counts, trials) : this.#bet;
  }

  /** The side that is claimed with so many more losses of the side ahead. */
  #sideWith(missing: number): Side | undefined {
    return sideOf(this.#wealth.evidence(lostToOther(this.#bet, missing)), this.#levels.alpha);
  }

  #claimFor(side: Side, log_e: number): void {
    if (this.#claim) this.#reversed ||= this.#claim.side !== side;
    else this.#claim = { side, round: this.#logs.length, counts: this.#counts, log_e };
  }

  #isSafe(side: Side): boolean {
    return this.#sideWith(this.#missing) === side;
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
      sided: this.#sided,
      counts: this.#counts,
      bet: this.#bet,
      uncertain: this.#uncertain(),
      inconsistent: this.#inconsistent,
      inconclusive: this.#inconclusive,
      greatest: this.#greatest,
      claim: this.#claim,
      stands: this.#stands,
      looks: this.#looks.at(-1) === this.#bet ? this.#looks : [...this.#looks, this.#bet],
      not_worse_at: this.#notWorse.shownAt(this.#bet),
      reversed: this.#reversed,
      fragile: this.#claim !== null && !this.#isFirm,
      equivalent_at: this.#equivalentAt,
      repeats: this.#repeats(),
    };
  }
}
