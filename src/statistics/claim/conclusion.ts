import type { Side } from "../../domain/verdict.ts";
import { type Counts, type LogEvidence, logEvidence, netOf, totalIn, wagersAgainst } from "./e-process.ts";
import { isContradicted } from "./interval.ts";
import type { Rules } from "./rules.ts";

/** What a plan fixes of the statistics before its first trial. */
export interface Levels {
  /** Share of all series on equal arms that may ever claim a preference. */
  readonly alpha: number;
  /** Win rates within this distance of 1/2 count as no difference worth having. */
  readonly margin: number;
  /** How far the mean difference of an arm may lie below 0 while it counts as not worse; absent: nothing shows that. */
  readonly not_worse_by?: number;
  /** Absent: those of now. */
  readonly rules?: Rules;
  /** By place in the plan: the cluster whose trials of a round count as their mean. Absent: each trial counts for itself. */
  readonly clusters?: readonly number[];
  /** What each side shows is kept of every round, as a contest needs it. */
  readonly sided?: true;
}

/** The side that the trials prefer; undefined while they establish no preference. */
export function claimedSide(counts: Counts, { alpha, rules }: Pick<Levels, "alpha" | "rules">): Side | undefined {
  return sideOf(logEvidence(counts, undefined, rules), alpha);
}

/** The same of evidence that is known. */
export function sideOf({ a, b, both }: LogEvidence, alpha: number): Side | undefined {
  if (both < -Math.log(alpha)) return undefined;
  return a > b ? "a" : "b";
}

/** Trials about which nothing is known but that they had no winner, and those that are missing. */
export interface Uncertain {
  /** Among the ties: the judge contradicted itself, or could not tell. */
  readonly undecided: number;
  readonly missing: number;
}

/** Whether trials show that there is no difference above the margin. */
export type IsEquivalent = (counts: Counts, uncertain: Uncertain) => boolean;

/**
 * Whether the whole range of the win rate lies within the margin around 1/2, also when every uncertain trial is given to
 * one side: a judge that cannot decide proves nothing.
 */
export function equivalenceAt(levels: Levels): IsEquivalent {
  const isWithin = withinMargin(levels);
  return (counts, { undecided, missing }) => {
    if (!isWithin(counts)) return false;
    const { wins, losses } = counts;
    const [given, ties] = [undecided + missing, counts.ties - undecided];
    if (given === 0) return true;
    return isWithin({ wins: wins + given, ties, losses }) && isWithin({ wins, ties, losses: losses + given });
  };
}

/** The range is one piece around its mean: it lies inside when the mean does and both borders are contradicted. */
export function withinMargin({ alpha, margin, rules }: Levels): (counts: Counts) => boolean {
  const border = 2 * margin;
  const [high, low] = [wagersAgainst(border, rules), wagersAgainst(-border, rules)];
  return (counts) => {
    const trials = totalIn(counts);
    if (trials === 0 || Math.abs(netOf(counts)) >= border * trials) return false;
    return isContradicted(counts, alpha, high, rules) && isContradicted(counts, alpha, low, rules);
  };
}
