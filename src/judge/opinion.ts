import type { Decider, Order, Outcome, Side } from "../domain/verdict.ts";
import { type Merged, mergeOrders, NOTHING_WEIGHED } from "./merge-orders.ts";
import {
  type CallScores,
  labelOf,
  type MeasuredScore,
  type ScoreTable,
  scoreTables,
  type Weights,
  weigh,
} from "./score-table.ts";
import { compareHearings, type Hearing, type SecondHearing, withoutSecondHearing } from "./second-hearing.ts";

/** Everything but the weights that an opinion rests on. */
export interface Scores {
  /** Empty when no model was asked. */
  readonly calls: readonly CallScores[];
  readonly measured: readonly MeasuredScore[];
  readonly tie_margin: number;
  /** Arms whose words are suspected of speaking to the judge. */
  readonly suspects: ReadonlySet<Side>;
}

/** What the scores alone say, before gates. */
export interface Opinion {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  readonly lean_side: Side | null;
  readonly decided_by: Decider;
  /** Weighted, over supported criteria, mean of both orders; null when an order is missing or nothing has weight. */
  readonly score_a: number | null;
  readonly score_b: number | null;
  readonly score_gap: number | null;
  /** The first hearing alone; null when no model was asked. */
  readonly merged: Merged | null;
  /** Whom the judged criteria alone name in both orders; null for nobody, and when words had moved the result. */
  readonly judge_side: Side | null;
  /** The gap nearest to 0 of all orders, from arm a; 0 when the orders name different arms. */
  readonly least_gap: number;
  readonly second: SecondHearing;
}

export function opinionOf(scores: Scores, weights: Weights): Opinion {
  const { calls, measured, tie_margin, suspects } = scores;
  const { shown, masked } = scoreTables(calls, measured);
  const means = meanScores(shown, weights);
  if (calls.length === 0) return measuredOpinion(means, tie_margin);
  const first = hearingOf(shown, weights, tie_margin);
  const repeated = calls.some((call) => call.masked);
  const { outcome, winner_side, lean_side, second } = repeated
    ? compareHearings(first, hearingOf(masked, weights, tie_margin), suspects)
    : withoutSecondHearing(first, suspects);
  const trusted = second !== "overturns" && second !== "not_held";
  const judge_side = trusted ? hearingOf(judgedPart(shown, measured), weights, tie_margin).merged.winner_side : null;
  return {
    ...means,
    ...{ outcome, winner_side, lean_side, second, judge_side },
    merged: first.merged,
    decided_by: deciderOf(outcome, winner_side, judge_side),
    least_gap: leastGap(first.gaps ?? []),
  };
}

/** A winner that the judged criteria alone do not name is decided by the measured ones. */
function deciderOf(outcome: Outcome, winner: Side | null, judge_side: Side | null): Decider {
  if (outcome === "winner") return winner === judge_side ? "judge" : "measured";
  return outcome === "tie" ? "judge" : "none";
}

function judgedPart(tables: readonly ScoreTable[], measured: readonly MeasuredScore[]): ScoreTable[] {
  const ids = new Set(measured.map(({ id }) => id));
  return tables.map((table) => ({ ...table, rows: table.rows.filter(({ id }) => !ids.has(id)) }));
}

function leastGap(gaps: readonly number[]): number {
  const [least = 0] = gaps.toSorted((one, other) => Math.abs(one) - Math.abs(other));
  return gaps.every((gap) => gap * least > 0) ? least : 0;
}

type Means = Pick<Opinion, "score_a" | "score_b" | "score_gap">;

/** The criteria measured by code decide alone when no model judges. */
function measuredOpinion(means: Means, tie_margin: number): Opinion {
  const { score_gap } = means;
  const undecided = { ...means, lean_side: null, merged: null, judge_side: null, second: "none" } as const;
  if (score_gap === null)
    return { ...undecided, outcome: "inconclusive", winner_side: null, decided_by: "none", least_gap: 0 };
  const label = labelOf(score_gap, tie_margin);
  const winner_side = label === "tie" ? null : label;
  const outcome = winner_side ? "winner" : "tie";
  return { ...undecided, outcome, winner_side, decided_by: "measured", least_gap: score_gap };
}

function hearingOf(tables: readonly ScoreTable[], weights: Weights, tie_margin: number): Hearing {
  const shownIn = (order: Order) => tables.find((table) => table.order === order);
  const [ab, ba] = [shownIn("ab"), shownIn("ba")];
  if (!ab || !ba) return { merged: mergeOrders(null, null), gaps: null };
  const [in_ab, in_ba] = [weigh(ab, weights), weigh(ba, weights)];
  if (in_ab === null || in_ba === null) return { merged: NOTHING_WEIGHED, gaps: null };
  const merged = mergeOrders(labelOf(in_ab.gap, tie_margin), labelOf(in_ba.gap, tie_margin));
  return { merged, gaps: [in_ab.gap, in_ba.gap] };
}

/** One order alone gives no scores: nothing would cancel the pull of its first slot. */
function meanScores(tables: readonly ScoreTable[], weights: Weights): Means {
  const weighed = tables.map((table) => weigh(table, weights)).filter((scores) => scores !== null);
  const orders = tables[0]?.order === null ? 1 : 2;
  if (weighed.length < orders) return { score_a: null, score_b: null, score_gap: null };
  const score_a = weighed.reduce((sum, { a }) => sum + a, 0) / orders;
  const score_b = weighed.reduce((sum, { b }) => sum + b, 0) / orders;
  return { score_a, score_b, score_gap: score_a - score_b };
}
