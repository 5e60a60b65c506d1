import type { Side } from "../../domain/verdict.ts";
import type { Levels, Uncertain } from "./conclusion.ts";
import { type Counts, logEvidence, logWealthOf, netOf, totalIn, wagersAgainst, withRest } from "./e-process.ts";
import { Mixture } from "./mixture.ts";
import { NOW, wealthNeeded } from "./rules.ts";

/**
 * Whether an arm is not worse than the other by the allowed difference or more: one-sided evidence against that its mean difference
 * is so low. What nobody decided counts for the other arm, as do missing trials: a judge that cannot tell proves nothing.
 *
 * An arm that is better is also not worse. Its wealth against a mean is a product of factors 1 + s (d - m) / (1 + m), each of which
 * falls as m rises, so that it is at least as large against -delta as against 0, where it is the larger of the two whose mean makes
 * the claim.
 */
export class NotWorse {
  readonly #level: number;
  readonly #allowed: number;
  readonly #bets: Readonly<Record<Side, Mixture>> | undefined;
  readonly #at: Record<Side, number | null> = { a: null, b: null };

  constructor({ alpha, not_worse_by, rules }: Levels) {
    this.#level = -Math.log(alpha);
    this.#allowed = not_worse_by ?? 0;
    const against = (mean: number) => new Mixture(wagersAgainst(mean, rules));
    this.#bets = not_worse_by === undefined ? undefined : { a: against(-not_worse_by), b: against(not_worse_by) };
  }

  begin(share: number): void {
    this.#bets?.a.begin(share);
    this.#bets?.b.begin(share);
  }

  /** @param worst for each arm: what nobody decided counts for the other */
  add(worst: Readonly<Record<Side, Counts>>): void {
    this.#bets?.a.add(worst.a);
    this.#bets?.b.add(worst.b);
  }

  look(round: number, counts: Counts, missing: number): void {
    const { a, b } = this.evidence(counts, missing);
    if (a >= this.#level) this.#at.a ??= round;
    if (b >= this.#level) this.#at.b ??= round;
  }

  /** As a logarithm, with all that is missing lost; nothing speaks for an arm whose mean contradicts it now. */
  evidence(counts: Counts, missing: number): Readonly<Record<Side, number>> {
    const against = { a: { wins: 0, ties: 0, losses: missing }, b: { wins: missing, ties: 0, losses: 0 } };
    const of = (side: Side) =>
      this.#bets && this.#allows(counts, side)
        ? this.#bets[side].evidence(against[side])[side]
        : Number.NEGATIVE_INFINITY;
    return { a: of("a"), b: of("b") };
  }

  /** The mean does not contradict it now. */
  shownAt(counts: Counts): Readonly<Record<Side, number | null>> {
    return { a: this.#allows(counts, "a") ? this.#at.a : null, b: this.#allows(counts, "b") ? this.#at.b : null };
  }

  #allows(counts: Counts, side: Side): boolean {
    const ahead = side === "a" ? netOf(counts) : -netOf(counts);
    return ahead > -this.#allowed * totalIn(counts);
  }
}

/** Whether counts show it, for many of them. @param uncertain all of it counts for the other arm */
export function showsNotWorse(side: Side, uncertain: Uncertain, levels: Levels): (counts: Counts) => boolean {
  const { alpha, not_worse_by: allowed = 0, rules = NOW } = levels;
  const sign = side === "a" ? 1 : -1;
  const bets = wagersAgainst(-sign * allowed)[side];
  const enough = wealthNeeded(alpha, rules);
  const { undecided, missing } = uncertain;
  return ({ wins, ties, losses }) => {
    if (sign * (wins - losses) <= -allowed * (wins + ties + losses)) return false;
    const [given, kept] = [undecided + missing, ties - undecided];
    const worst =
      side === "a" ? { wins, ties: kept, losses: losses + given } : { wins: wins + given, ties: kept, losses };
    return bets.reduce((wealth, bet) => wealth + Math.exp(logWealthOf(worst, bet)), 0) >= enough;
  };
}

/** The fewest pairs with which two arms that never differ are not worse than each other. */
export function leastEqualPairs(levels: Levels): number {
  const { alpha, not_worse_by, rules = NOW } = levels;
  if (not_worse_by === undefined) return 0;
  let pairs = 1;
  const wagers = wagersAgainst(-not_worse_by, rules);
  const shown = (ties: number) => withRest(logEvidence({ wins: 0, ties, losses: 0 }, wagers).a, rules.fresh);
  while (shown(pairs) < -Math.log(alpha)) pairs += 1;
  return pairs;
}
