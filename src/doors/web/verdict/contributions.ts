import type { CriterionScore, Side } from "../../../domain/verdict.ts";

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
