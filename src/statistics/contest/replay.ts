import type { ContestPlan } from "../../domain/contest-plan.ts";
import type { Side } from "../../domain/verdict.ts";
import type { SidedEvidence } from "../claim/sequential-test.ts";
import { logMean, rejectedTogether } from "./holm.ts";

/** What two arms of a contest show. */
export interface PairEvidence {
  /** After each of its complete rounds. */
  readonly sided: readonly SidedEvidence[];
  /** It can give no more rounds, whatever becomes of the others. */
  readonly is_over: boolean;
}

export interface ContestRules {
  readonly plan: ContestPlan;
  readonly alpha: number;
  /** A candidate about which that is known runs no more: better or worse, or also not worse. Null: each runs to the end. */
  readonly settles_at: "better" | "not_worse" | null;
}

/** Where a contest stands after its complete rounds. */
export interface Replay {
  readonly rounds: number;
  /** By arm: the round after which it left, or enough was known of it. */
  readonly out_at: ReadonlyMap<string, number>;
  /** By pair: what it showed last while both its arms took part. */
  readonly last: readonly (SidedEvidence | undefined)[];
}

/**
 * Plays the rounds again, one after the other: an arm leaves at the first round that is complete for all who take part, and shows
 * it. Its evidence stays as it was then, whatever ran of it afterwards, so that the same trials give the same standing.
 * Yields the units of work of each round.
 */
export function* replaying(rules: ContestRules, pairs: readonly PairEvidence[]): Generator<number, Replay> {
  const out_at = new Map<string, number>();
  const last: (SidedEvidence | undefined)[] = pairs.map(() => undefined);
  const isPlaying = (pair: number) => rules.plan.pairs[pair]?.arms.every((arm) => !out_at.has(arm)) === true;
  for (let round = 1; ; round += 1) {
    const playing = [...pairs.entries()].filter(([place]) => isPlaying(place));
    const isComplete = playing.every(([, { sided, is_over }]) => is_over || sided.length >= round);
    if (!isComplete || !playing.some(([, { sided }]) => sided.length >= round))
      return { rounds: round - 1, out_at, last };
    for (const [place, { sided }] of playing) last[place] = sided[round - 1] ?? last[place];
    if (last.some((evidence) => mayShow(rules, evidence)))
      for (const arm of leaving(rules, last, out_at)) out_at.set(arm, round);
    yield pairs.length * UNITS_OF_A_PAIR;
  }
}

const UNITS_OF_A_PAIR = 0.1;

/** Whether what two arms show may be enough for anything: together with others it must be more. */
function mayShow({ alpha }: ContestRules, evidence: SidedEvidence | undefined): boolean {
  if (evidence === undefined) return false;
  const { better, not_worse } = evidence;
  return Math.max(better.a, better.b, not_worse.a, not_worse.b) >= -Math.log(alpha);
}

function leaving(
  rules: ContestRules,
  last: readonly (SidedEvidence | undefined)[],
  out_at: ReadonlyMap<string, number>,
): readonly string[] {
  const { plan } = rules;
  if (plan.mode === "best") return outOf(rules, last).filter((arm) => !out_at.has(arm));
  if (rules.settles_at === null) return [];
  const settled = [...shownAgainst(rules, last)].filter(
    ([, shown]) => shown !== null && (shown !== "not_worse" || rules.settles_at === "not_worse"),
  );
  const fresh = settled.map(([arm]) => arm).filter((arm) => !out_at.has(arm));
  return fresh;
}

/** The arms that are not the best, familywise: each by the mean of what the others show to be better than it. */
function outOf({ plan, alpha }: ContestRules, last: readonly (SidedEvidence | undefined)[]): readonly string[] {
  const means = plan.arms.map((arm) =>
    logMean(
      plan.pairs.flatMap(({ arms: [a, b] }, place) => {
        if (a === arm) return [last[place]?.better.b ?? 0];
        return b === arm ? [last[place]?.better.a ?? 0] : [];
      }),
    ),
  );
  const rejected = rejectedTogether(means, alpha);
  return plan.arms.filter((_, place) => rejected[place]);
}

type Shown = "better" | "not_worse" | "worse" | null;

/**
 * By candidate, what is shown of it against the control, in three families: that some candidate is told better or worse is false in at
 * most `alpha` of all contests, as of two arms, and so is that some candidate is told not worse.
 */
export function shownAgainst(
  { plan, alpha }: Pick<ContestRules, "plan" | "alpha">,
  last: readonly (SidedEvidence | undefined)[],
): ReadonlyMap<string, Shown> {
  const candidates = plan.pairs.flatMap(({ arms: [a = "", b = ""] }, place) => {
    if (a !== plan.control && b !== plan.control) return [];
    const side: Side = a === plan.control ? "b" : "a";
    return { arm: side === "a" ? a : b, side, other: otherOf(side), evidence: last[place] };
  });
  const better = rejectedTogether(
    candidates.map(({ side, evidence }) => evidence?.better[side] ?? 0),
    alpha / 2,
  );
  const worse = rejectedTogether(
    candidates.map(({ other, evidence }) => evidence?.better[other] ?? 0),
    alpha / 2,
  );
  const notWorse = rejectedTogether(
    candidates.map(({ side, evidence }) => evidence?.not_worse[side] ?? 0),
    alpha,
  );
  return new Map(
    candidates.map(({ arm, side, other, evidence }, index) => {
      if (better[index] && evidence?.claimed === side) return [arm, "better"];
      if (worse[index] && evidence?.claimed === other) return [arm, "worse"];
      return [arm, notWorse[index] ? "not_worse" : null];
    }),
  );
}

const otherOf = (side: Side): Side => (side === "a" ? "b" : "a");
