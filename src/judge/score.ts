import type { Decider, Outcome, Side, Verdict } from "../domain/verdict.ts";
import { type Gates, gatesOf, vetoes } from "./gates.ts";
import { type Merged, mergeOrders } from "./merge.ts";
import { type Ballot, labelOf, type MeasuredScore, type Sheet, sheetsOf, type Weights, weigh } from "./sheets.ts";

/**
 * From scores and weights to an outcome: pure and without dependencies, so that a browser recomputes a stored verdict
 * under other weights with the very code that made it.
 */

/** Everything but the weights that the outcome rests on. */
export interface Basis {
  /** Empty when no model was asked. */
  readonly calls: readonly Ballot[];
  readonly measured: readonly MeasuredScore[];
  readonly gates: Gates;
  readonly tie_margin: number;
}

export interface Standing {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  readonly lean_side: Side | null;
  readonly decided_by: Decider;
  /** Weighted, over supported criteria, mean of both orders; null when an order is missing or nothing has weight. */
  readonly score_a: number | null;
  readonly score_b: number | null;
  readonly score_gap: number | null;
  /** What both orders say before gates and vetoes; null when no model was asked. */
  readonly merged: Merged | null;
  /** The hidden checks stand against the winner that the scores name. */
  readonly probe_conflict: boolean;
  /** Without the suspected lines the winner is another. */
  readonly injection_effective: boolean;
}

/** The basis of a stored verdict; `tie_margin` stands in the rubric of the session's definition. */
export function basisOf(verdict: Pick<Verdict, "calls" | "criteria" | "facts">, tie_margin: number): Basis {
  return {
    calls: verdict.calls,
    measured: verdict.criteria.filter(({ kind }) => kind === "measured"),
    gates: gatesOf(verdict.facts.a, verdict.facts.b),
    tie_margin,
  };
}

/** The outcome under these weights. Exchanging the arms in `basis` mirrors it. */
export function decide(basis: Basis, weights: Weights): Standing {
  const { gates } = basis;
  const opinion = opinionOf(basis, weights);
  if (gates.no_winner === "both_disqualified")
    return { ...opinion, outcome: "inconclusive", winner_side: null, lean_side: null, decided_by: "gate" };
  const standing = gates.winner_side ? decidedByGate(opinion, gates, gates.winner_side) : vetoed(opinion, gates);
  return gates.no_winner && standing.outcome === "winner" ? withoutWinner(standing) : standing;
}

function decidedByGate(opinion: Standing, gates: Gates, winner_side: Side): Standing {
  const probe_conflict = opinion.winner_side !== null && vetoes(gates, opinion.winner_side);
  const decided_by = gates.decided_by ?? "none";
  return { ...opinion, outcome: "winner", winner_side, lean_side: null, decided_by, probe_conflict };
}

function vetoed(opinion: Standing, gates: Gates): Standing {
  if (opinion.winner_side === null || !vetoes(gates, opinion.winner_side)) return opinion;
  return { ...opinion, outcome: "inconclusive", winner_side: null, decided_by: "none", probe_conflict: true };
}

/** What would have been the winner is a lean; a probe that set it is still named. */
function withoutWinner(standing: Standing): Standing {
  const decided_by = standing.decided_by === "probe" ? "probe" : "none";
  return { ...standing, outcome: "inconclusive", winner_side: null, lean_side: standing.winner_side, decided_by };
}

/** What the scores alone say. */
function opinionOf(basis: Basis, weights: Weights): Standing {
  const { shown, masked } = sheetsOf(basis.calls, basis.measured);
  if (basis.calls.length === 0) return measuredOpinion(meanScores(shown, weights), basis.tie_margin);
  const merged = mergeSheets(shown, weights, basis.tie_margin);
  const opinion = { ...UNDECIDED, ...meanScores(shown, weights), ...namedBy(merged), merged };
  if (masked.length === 0) return opinion;
  const repeated = mergeSheets(masked, weights, basis.tie_margin);
  if (repeated.outcome === "invalid" || repeated.winner_side === merged.winner_side) return opinion;
  return { ...opinion, ...UNDECIDED, merged, injection_effective: true };
}

const UNDECIDED = {
  outcome: "inconclusive",
  winner_side: null,
  lean_side: null,
  decided_by: "none",
  merged: null,
  probe_conflict: false,
  injection_effective: false,
} as const;

function namedBy({ outcome, winner_side, lean_side }: Merged) {
  const decided_by: Decider = outcome === "winner" || outcome === "tie" ? "judge" : "none";
  return { outcome, winner_side, lean_side, decided_by };
}

type Scores = Pick<Standing, "score_a" | "score_b" | "score_gap">;

/** Criteria measured by code, when no model judges. */
function measuredOpinion(scores: Scores, tie_margin: number): Standing {
  if (scores.score_gap === null) return { ...UNDECIDED, ...scores };
  const label = labelOf(scores.score_gap, tie_margin);
  const named =
    label === "tie" ? { outcome: label, winner_side: null } : { outcome: "winner" as const, winner_side: label };
  return { ...UNDECIDED, ...scores, ...named, decided_by: "measured" };
}

/** Both answers are usable, but nothing that they support has weight. */
const NOTHING_WEIGHED: Merged = {
  outcome: "inconclusive",
  winner_side: null,
  lean_side: null,
  net_vote: null,
  agreement: 0,
  position_pull: null,
};

function mergeSheets(sheets: readonly Sheet[], weights: Weights, tie_margin: number): Merged {
  const [ab, ba] = (["ab", "ba"] as const).map((order) => {
    const sheet = sheets.find((candidate) => candidate.order === order);
    return sheet && { scores: weigh(sheet, weights) };
  });
  if (!ab || !ba) return mergeOrders(null, null);
  if (ab.scores === null || ba.scores === null) return NOTHING_WEIGHED;
  return mergeOrders(labelOf(ab.scores.a - ab.scores.b, tie_margin), labelOf(ba.scores.a - ba.scores.b, tie_margin));
}

/** One order alone gives no scores: nothing would cancel the pull of its first position. */
function meanScores(sheets: readonly Sheet[], weights: Weights): Scores {
  const scores = sheets.map((sheet) => weigh(sheet, weights)).filter((weighed) => weighed !== null);
  const orders = sheets[0]?.order === null ? 1 : 2;
  if (scores.length < orders) return { score_a: null, score_b: null, score_gap: null };
  const score_a = scores.reduce((sum, { a }) => sum + a, 0) / orders;
  const score_b = scores.reduce((sum, { b }) => sum + b, 0) / orders;
  return { score_a, score_b, score_gap: score_a - score_b };
}
