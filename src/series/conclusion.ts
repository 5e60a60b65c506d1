import type { Side } from "../domain/verdict.ts";
import { type Counts, type LogEvidence, logEvidence } from "./e-process.ts";
import { isContradicted } from "./interval.ts";

/** What a plan fixes of the statistics before its first trial. */
export interface Levels {
  /** Share of all series on equal arms that may ever claim a preference. */
  readonly alpha: number;
  /** Half the width of the win rates around 1/2 that count as no difference worth having. */
  readonly margin: number;
}

/** The side that the trials prefer; undefined while they establish no preference. */
export function claimedSide(counts: Counts, { alpha }: Pick<Levels, "alpha">): Side | undefined {
  return sideOf(logEvidence(counts), alpha);
}

/** The same of evidence that is known. */
export function sideOf({ a, b, both }: LogEvidence, alpha: number): Side | undefined {
  if (both < -Math.log(alpha) || a === b) return undefined;
  return a > b ? "a" : "b";
}

/** Trials about which nothing is known but that they had no winner, and those that are missing. */
export interface Uncertain {
  /** Among the ties: the judge contradicted itself, or could not tell. */
  readonly undecided: number;
  readonly missing: number;
}

/**
 * Whether the whole range of the win rate lies within the margin around 1/2, also when every uncertain trial is given to
 * one side: a judge that cannot decide proves nothing.
 */
export function isEquivalent(counts: Counts, { undecided, missing }: Uncertain, levels: Levels): boolean {
  const { wins, ties, losses } = counts;
  const given = undecided + missing;
  if (given === 0) return isWithinMargin(counts, levels);
  return [
    counts,
    { wins: wins + given, ties: ties - undecided, losses },
    { wins, ties: ties - undecided, losses: losses + given },
  ].every((possible) => isWithinMargin(possible, levels));
}

/** The range is one piece around its mean: it lies inside when the mean does and both borders are contradicted. */
function isWithinMargin(counts: Counts, { alpha, margin }: Levels): boolean {
  const trials = counts.wins + counts.ties + counts.losses;
  const border = 2 * margin;
  if (trials === 0 || Math.abs(counts.wins - counts.losses) >= border * trials) return false;
  return isContradicted(counts, alpha, border) && isContradicted(counts, alpha, -border);
}
