import type { CriterionScore, JudgeCall } from "../domain/verdict.ts";
import type { Label } from "./merge.ts";

/** One answer of the judge; a stored JudgeCall is one. */
export type Ballot = Pick<JudgeCall, "order" | "masked" | "valid"> & {
  readonly scores: readonly Pick<JudgeCall["scores"][number], "id" | "score_a" | "score_b" | "supported">[];
};

/** A criterion scored by code; a stored CriterionScore of kind `measured` is one. */
export type MeasuredScore = Pick<CriterionScore, "id" | "score_a" | "score_b" | "supported">;

/** Weight by criterion id; at least 0, any scale. */
export type Weights = ReadonlyMap<string, number>;

/** Scores of one presentation, 0 to 1, one row per criterion that counts; `order` is null when no model was asked. */
export interface Sheet {
  readonly order: "ab" | "ba" | null;
  readonly rows: readonly { readonly id: string; readonly a: number; readonly b: number }[];
}

export interface Sheets {
  readonly shown: readonly Sheet[];
  /** The repetition with suspected lines masked; empty when there was none. */
  readonly masked: readonly Sheet[];
}

/** Highest score of a judged criterion. */
export const TOP_SCORE = 4;

/** Binary fractions: a gap of 0.3 - 0.25 must not exceed a margin of 0.05. */
const EPSILON = 1e-9;

/**
 * The sheets of both orders. A criterion counts only when both orders support it: one that stands in a single order has
 * no counterpart in which the pull of the first position would cancel.
 */
export function sheetsOf(calls: readonly Ballot[], measured: readonly MeasuredScore[]): Sheets {
  const rows = measured.flatMap(({ id, score_a, score_b, supported }) =>
    supported && score_a !== null && score_b !== null ? [{ id, a: score_a, b: score_b }] : [],
  );
  if (calls.length === 0) return { shown: [{ order: null, rows }], masked: [] };
  const sheets = (masked: boolean) => {
    const ballots = calls.filter((call) => call.masked === masked && call.valid);
    return ballots.map((ballot) => ({ order: ballot.order, rows: [...judgedRows(ballot, ballots), ...rows] }));
  };
  return { shown: sheets(false), masked: sheets(true) };
}

function judgedRows(ballot: Ballot, ballots: readonly Ballot[]): Sheet["rows"] {
  const unsupported = ballots.flatMap(({ scores }) => scores.filter(({ supported }) => !supported).map(({ id }) => id));
  return ballot.scores
    .filter(({ id }) => !unsupported.includes(id))
    .map(({ id, score_a, score_b }) => ({ id, a: score_a / TOP_SCORE, b: score_b / TOP_SCORE }));
}

/** Weighted means of both sides; null when no row has weight. */
export function weigh(sheet: Sheet, weights: Weights): { readonly a: number; readonly b: number } | null {
  let [total, a, b] = [0, 0, 0];
  for (const row of sheet.rows) {
    const weight = weights.get(row.id) ?? 0;
    total += weight;
    a += weight * row.a;
    b += weight * row.b;
  }
  return total > 0 ? { a: Math.min(1, a / total), b: Math.min(1, b / total) } : null;
}

/** Which side a weighted gap names: beyond the margin a side, else a tie. */
export function labelOf(gap: number, tie_margin: number): Label {
  if (Math.abs(gap) <= tie_margin + EPSILON) return "tie";
  return gap > 0 ? "a" : "b";
}
