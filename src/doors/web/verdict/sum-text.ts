import type { ScoredOutcome } from "../../../comparison/judge/decide.ts";
import type { CriterionScore, Side, Verdict } from "../../../domain/verdict.ts";
import type { Comparison } from "./comparison.ts";

type Said = Pick<Verdict, "calls" | "judge">;

const isRepeated = ({ calls }: Said): boolean => calls.some(({ masked }) => masked);

/** By what a result without deciding facts goes; null where it goes by the scores. */
export function goesBy(verdict: Said): string | null {
  if (isRepeated(verdict)) return "what holds without the arms' own words";
  return verdict.judge.members ? "the judges' votes" : null;
}

/**
 * What the sum of the criteria is made of, and why the result may favour another arm; null where the sum is all that there is.
 * @param now the result that stands above it
 */
export function sumText(
  { verdict, a, b }: Comparison,
  now: Pick<ScoredOutcome, "outcome" | "winner_side" | "lean_side" | "decided_by">,
  leader: ReturnType<typeof leaderOf>,
): string | null {
  const by = goesBy(verdict);
  if (by === null) return null;
  const { members } = verdict.judge;
  const whose = members ? `The mean of ${members.length} judges' scores` : "The judge's scores";
  const heard = isRepeated(verdict) ? ", given with the arms' own words in sight" : "";
  const favoured = now.winner_side ?? now.lean_side;
  const isApart = leader !== null && leader.side !== favoured && now.outcome !== "tie";
  if (!isApart || now.decided_by === "gate" || now.decided_by === "probe") return `${whose}${heard}.`;
  const side =
    favoured === null ? "names nobody" : `${now.winner_side ? "names" : "leans to"} ${{ a, b }[favoured].name}`;
  return `${whose}${heard}. The result goes by ${by} and ${side}.`;
}

/** What one criterion adds to the lead of an arm. */
export interface Contribution {
  readonly id: string;
  /** Its part of all weight that counts, 0 to 1. */
  readonly share: number;
  /** Whom it favours; null for neither. */
  readonly side: Side | null;
  /** What it adds to that arm's lead, 0 to 1. */
  readonly lead: number;
}

/** The contributions of the criteria that count under these weights, in the verdict's order. */
export function contributionsOf(
  criteria: readonly CriterionScore[],
  weights: ReadonlyMap<string, number>,
): readonly Contribution[] {
  const counted = criteria.filter(({ supported }) => supported);
  const total = counted.reduce((sum, { id }) => sum + (weights.get(id) ?? 0), 0);
  return counted.map(({ id, gap }) => {
    const share = total === 0 ? 0 : (weights.get(id) ?? 0) / total;
    const lead = share * (gap ?? 0);
    return { id, share, side: lead === 0 ? null : lead > 0 ? "a" : "b", lead: Math.abs(lead) };
  });
}

/** Leads below this are not told apart, as scores are shown with two digits. */
const SHOWN = 0.005;

/** Who leads, and by how much; null when nobody does as far as two digits show. */
export function leaderOf(score_gap: number | null): { readonly side: Side; readonly lead: number } | null {
  if (score_gap === null || Math.abs(score_gap) < SHOWN) return null;
  return { side: score_gap > 0 ? "a" : "b", lead: Math.abs(score_gap) };
}
