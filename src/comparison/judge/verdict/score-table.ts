import type { CriterionScore, JudgeCall, Order, Side } from "../../../domain/verdict.ts";

/** The scores of one call; a stored JudgeCall is one. */
export type CallScores = Pick<JudgeCall, "judge" | "order" | "masked" | "valid"> & {
  readonly scores: readonly Pick<JudgeCall["scores"][number], "id" | "score_a" | "score_b" | "supported">[];
};

/** A criterion scored by code; a stored CriterionScore of kind `measured` is one. */
export type MeasuredScore = Pick<CriterionScore, "id" | "score_a" | "score_b" | "supported"> & {
  /** It tells what an arm took. Absent for other measures, and in stored verdicts. */
  readonly effort?: true;
};

/** Weight by criterion id; at least 0, any scale. */
export type Weights = ReadonlyMap<string, number>;

/** Scores of one order, 0 to 1, a row per criterion that counts; `order` is null when no model was asked. */
export interface ScoreTable {
  readonly order: Order | null;
  readonly rows: readonly { readonly id: string; readonly a: number; readonly b: number }[];
}

export interface ScoreTables {
  readonly shown: readonly ScoreTable[];
  /** The tables of the masked repetition; empty when there was none. */
  readonly masked: readonly ScoreTable[];
}

/** Highest score of a judged criterion. */
export const TOP_SCORE = 4;

/** The tables of one judge. A criterion counts only when both orders support it: one order alone does not cancel position bias. */
export function scoreTables(calls: readonly CallScores[], measured: readonly MeasuredScore[]): ScoreTables {
  const rows = measured.flatMap(({ id, score_a, score_b, supported }) =>
    supported && score_a !== null && score_b !== null ? [{ id, a: score_a, b: score_b }] : [],
  );
  if (calls.length === 0) return { shown: [{ order: null, rows }], masked: [] };
  const tables = (masked: boolean) => {
    const hearing = calls.filter((call) => call.masked === masked && call.valid);
    return hearing.map((call) => ({ order: call.order, rows: [...judgedRows(call, hearing), ...rows] }));
  };
  return { shown: tables(false), masked: tables(true) };
}

/** The calls of each judge that was asked: of a panel there are several. */
export const byJudge = <Call extends CallScores>(calls: readonly Call[]): readonly (readonly Call[])[] => [
  ...Map.groupBy(calls, ({ judge }) => judge).values(),
];

function judgedRows(call: CallScores, hearing: readonly CallScores[]): ScoreTable["rows"] {
  const unsupported = hearing.flatMap(({ scores }) => scores.filter(({ supported }) => !supported).map(({ id }) => id));
  return call.scores
    .filter(({ id }) => !unsupported.includes(id))
    .map(({ id, score_a, score_b }) => ({ id, a: score_a / TOP_SCORE, b: score_b / TOP_SCORE }));
}

/** Weighted means, 0 to 1, and arm a's lead. */
interface WeightedScores {
  readonly a: number;
  readonly b: number;
  readonly gap: number;
}

/** Null when no row has weight. */
export function weigh({ rows }: ScoreTable, weights: Weights): WeightedScores | null {
  const total = weightedSum(rows, weights, () => 1);
  if (total <= 0) return null;
  const a = weightedSum(rows, weights, (row) => row.a) / total;
  const b = weightedSum(rows, weights, (row) => row.b) / total;
  return { a, b, gap: a - b };
}

export const weightedSum = (
  rows: ScoreTable["rows"],
  weights: Weights,
  value: (row: ScoreTable["rows"][number]) => number,
): number => rows.reduce((sum, row) => sum + (weights.get(row.id) ?? 0) * value(row), 0);

/** Whom a call's scores name. */
export type Label = Side | "tie";

/** A gap beyond the margin names a side. */
export function labelOf(gap: number, tie_margin: number): Label {
  if (!exceeds(Math.abs(gap), tie_margin)) return "tie";
  return gap > 0 ? "a" : "b";
}

/** Binary fractions: 0.65 - 0.35 counts as 0.3. */
const EPSILON = 1e-9;

/** Whether a value is at least the bound, or a rounding error below it. */
export const reaches = (value: number, bound: number): boolean => value >= bound - EPSILON;

/** Whether a value is above the bound by more than a rounding error. */
export const exceeds = (value: number, bound: number): boolean => value > bound + EPSILON;
