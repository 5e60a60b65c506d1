import type { Decider, Outcome, Side, Suspicion, Verdict } from "../domain/verdict.ts";
import { backs, type Gates, gatesOf, vetoes } from "./gates.ts";
import { type Merged, mergeOrders } from "./merge.ts";
import { type Heard, heardOnce, type SecondHearing, weighHearings } from "./second-hearing.ts";
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
  /** Arms whose words are suspected of speaking to the judge. */
  readonly suspects: ReadonlySet<Side>;
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
  /** What both orders say before gates, vetoes and a second hearing; null when no model was asked. */
  readonly merged: Merged | null;
  /** Whom the judged criteria alone name in both orders; null when nobody, or when words had moved it. */
  readonly judge_side: Side | null;
  /** The least gap of an order, from arm a, when all orders point to one arm; else 0. */
  readonly least_gap: number;
  /** Facts stand clearly against whom the judge names, or veto the winner that the scores name. */
  readonly probe_conflict: boolean;
  readonly second: SecondHearing;
}

/** The basis of a stored verdict; `tie_margin` stands in the rubric of the session's definition. */
export function basisOf(
  verdict: Pick<Verdict, "calls" | "criteria" | "facts" | "suspicions">,
  tie_margin: number,
): Basis {
  return {
    calls: verdict.calls,
    measured: verdict.criteria.filter(({ kind }) => kind === "measured"),
    gates: gatesOf(verdict.facts.a, verdict.facts.b),
    tie_margin,
    suspects: suspectsOf(verdict.suspicions ?? []),
  };
}

/** Whom somebody suspected before it was heard again. */
export const suspectsOf = (suspicions: readonly Pick<Suspicion, "side" | "found_by">[]): ReadonlySet<Side> =>
  new Set(suspicions.filter(({ found_by }) => found_by !== "second_hearing").map(({ side }) => side));

/** The outcome under these weights. Exchanging the arms in `basis` mirrors it. */
export function decide(basis: Basis, weights: Weights): Standing {
  const { gates } = basis;
  const opinion = opinionOf(basis, weights);
  if (gates.no_winner === "both_disqualified")
    return { ...opinion, outcome: "inconclusive", winner_side: null, lean_side: null, decided_by: "gate" };
  const standing = gates.winner_side ? decidedByGate(opinion, gates, gates.winner_side) : vetoed(opinion, gates);
  return gates.no_winner && standing.outcome === "winner" ? withoutWinner(standing) : standing;
}

/**
 * Whether words could have moved what the judge said, so that it must be heard again without them: it names a winner that
 * the hidden checks do not back, or whose words are suspected; or it names none and somebody's words are suspected. Not
 * where rules or required checks decide, or rule a winner out, whatever a judge says.
 */
export function needsSecondHearing(basis: Basis, weights: Weights): boolean {
  const { gates, suspects } = basis;
  const { merged } = opinionOf(basis, weights);
  if (gates.no_winner === "both_disqualified" || isAbsolute(gates) || !merged || merged.outcome === "invalid")
    return false;
  if (merged.winner_side === null) return suspects.size > 0 && gates.winner_side === null;
  if (gates.winner_side === merged.winner_side) return false;
  if (suspects.has(merged.winner_side)) return true;
  return gates.no_winner === null && !backs(gates, merged.winner_side);
}

/** Broken rules and required checks decide whatever a judge says; graded checks only while no judge contradicts. */
const isAbsolute = ({ winner_side, reason }: Gates) => winner_side !== null && reason !== "graded_checks";

function decidedByGate(opinion: Standing, gates: Gates, winner_side: Side): Standing {
  const probe_conflict = opinion.judge_side !== null && opinion.judge_side !== winner_side;
  if (probe_conflict && !isAbsolute(gates)) return conflicting(opinion);
  const decided_by = gates.decided_by ?? "none";
  return { ...opinion, outcome: "winner", winner_side, lean_side: null, decided_by, probe_conflict };
}

function vetoed(opinion: Standing, gates: Gates): Standing {
  if (opinion.winner_side === null || !vetoes(gates, opinion.winner_side)) return opinion;
  return conflicting(opinion);
}

const conflicting = (opinion: Standing): Standing => ({
  ...opinion,
  outcome: "inconclusive",
  winner_side: null,
  lean_side: null,
  decided_by: "none",
  probe_conflict: true,
});

/** What would have been the winner is a lean; a probe that set it is still named. */
function withoutWinner(standing: Standing): Standing {
  const decided_by = standing.decided_by === "probe" ? "probe" : "none";
  return { ...standing, outcome: "inconclusive", winner_side: null, lean_side: standing.winner_side, decided_by };
}

/** What the scores alone say. */
function opinionOf(basis: Basis, weights: Weights): Standing {
  const { tie_margin } = basis;
  const { shown, masked } = sheetsOf(basis.calls, basis.measured);
  if (basis.calls.length === 0) return measuredOpinion(shown, weights, tie_margin);
  const first = heard(shown, weights, tie_margin);
  const repeated = basis.calls.some((call) => call.masked);
  const { outcome, winner_side, lean_side, second } = repeated
    ? weighHearings(first, heard(masked, weights, tie_margin), basis.suspects)
    : heardOnce(first, basis.suspects);
  const judge_side =
    second === "overturns" || second === "unheard"
      ? null
      : heard(judgedPart(shown, basis), weights, tie_margin).merged.winner_side;
  return {
    ...UNDECIDED,
    ...meanScores(shown, weights),
    ...{ outcome, winner_side, lean_side, second, judge_side },
    merged: first.merged,
    decided_by: deciderOf(outcome, winner_side, judge_side),
    least_gap: leastGap(first.gaps ?? []),
  };
}

/** A winner that the judged criteria alone do not name is the measured ones' doing. */
function deciderOf(outcome: Outcome, winner: Side | null, judge_side: Side | null): Decider {
  if (outcome === "winner") return winner === judge_side ? "judge" : "measured";
  return outcome === "tie" ? "judge" : "none";
}

function judgedPart(sheets: readonly Sheet[], { measured }: Basis): Sheet[] {
  const ids = new Set(measured.map(({ id }) => id));
  return sheets.map((sheet) => ({ ...sheet, rows: sheet.rows.filter(({ id }) => !ids.has(id)) }));
}

function leastGap(gaps: readonly number[]): number {
  const [least = 0] = gaps.toSorted((one, other) => Math.abs(one) - Math.abs(other));
  return gaps.every((gap) => gap * least > 0) ? least : 0;
}

const UNDECIDED = {
  outcome: "inconclusive",
  winner_side: null,
  lean_side: null,
  decided_by: "none",
  merged: null,
  judge_side: null,
  least_gap: 0,
  probe_conflict: false,
  second: "none",
} as const;

type Scores = Pick<Standing, "score_a" | "score_b" | "score_gap">;

/** Criteria measured by code, when no model judges. */
function measuredOpinion(sheets: readonly Sheet[], weights: Weights, tie_margin: number): Standing {
  const scores = meanScores(sheets, weights);
  if (scores.score_gap === null) return { ...UNDECIDED, ...scores };
  const label = labelOf(scores.score_gap, tie_margin);
  const named =
    label === "tie" ? { outcome: label, winner_side: null } : { outcome: "winner" as const, winner_side: label };
  return { ...UNDECIDED, ...scores, ...named, decided_by: "measured", least_gap: scores.score_gap };
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

function heard(sheets: readonly Sheet[], weights: Weights, tie_margin: number): Heard {
  const [ab, ba] = (["ab", "ba"] as const).map((order) => {
    const sheet = sheets.find((candidate) => candidate.order === order);
    return sheet && { scores: weigh(sheet, weights) };
  });
  if (!ab || !ba) return { merged: mergeOrders(null, null), gaps: null };
  if (ab.scores === null || ba.scores === null) return { merged: NOTHING_WEIGHED, gaps: null };
  const gaps = [ab.scores.a - ab.scores.b, ba.scores.a - ba.scores.b] as const;
  return { merged: mergeOrders(labelOf(gaps[0], tie_margin), labelOf(gaps[1], tie_margin)), gaps };
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
