import type { Side, Suspicion, Verdict } from "../../domain/verdict.ts";
import { backs, type Gates, gatesOf, vetoes } from "./facts.ts";
import { type Opinion, opinionOf, opinionsOfPanel, type Scores, type Seat } from "./opinion.ts";
import { silenceIn } from "./panel-votes.ts";
import type { Weights } from "./verdict/score-table.ts";
/**
 * Decides an outcome from scores, gates and weights. It is pure and has no dependencies: a browser recomputes a stored verdict
 * under other weights with this code.
 */

/** Everything but the weights that the outcome rests on. */
export interface Basis extends Scores {
  readonly gates: Gates;
}

export interface ScoredOutcome extends Opinion {
  /** The gate or the hidden checks speak against the arm that the judge or the scores name. */
  readonly probe_conflict: boolean;
}

/** The basis of a stored verdict; `tie_margin` stands in the rubric of the session's definition. */
export function basisOf(
  verdict: Pick<Verdict, "calls" | "criteria" | "facts" | "suspicions" | "judge">,
  tie_margin: number,
): Basis {
  const suspicions = verdict.suspicions ?? [];
  return {
    calls: verdict.calls,
    measured: verdict.criteria.filter(({ kind }) => kind === "measured"),
    gates: gatesOf(verdict.facts.a, verdict.facts.b),
    tie_margin,
    suspects: suspectsOf(suspicions),
    seats: verdict.judge.members?.map(({ model }) => seatOf(model, suspicions)),
    silence: silenceIn(verdict.judge.protocol),
  };
}

/**
 * What the judge of a stored verdict found itself, by the criteria that it scored, whatever rules, hidden checks and measures
 * made of it: a measure can be the hidden checks' own score.
 */
export const judgesOwn = (verdict: Verdict, tie_margin: number): Opinion =>
  opinionOf({ ...basisOf(verdict, tie_margin), measured: [] }, weightsOf(verdict));

/** The same of each judge of a panel, in the order of its members; nothing for one judge. */
export const membersOwn = (verdict: Verdict, tie_margin: number): readonly Opinion[] =>
  opinionsOfPanel({ ...basisOf(verdict, tie_margin), measured: [] }, weightsOf(verdict));

const weightsOf = ({ criteria }: Verdict): Weights => new Map(criteria.map(({ id, weight }) => [id, weight]));

type Suspected = readonly Pick<Suspicion, "side" | "found_by" | "judge">[];

/** The arms that were suspected before the masked repetition. */
export const suspectsOf = (suspicions: Suspected): ReadonlySet<Side> =>
  new Set(suspicions.filter(({ found_by }) => found_by !== "second_hearing").map(({ side }) => side));

/** A judge of a panel goes by the scan and by its own suspicion, not by that of the others. */
export const seatOf = (judge: string, suspicions: Suspected): Seat => ({
  judge,
  suspects: suspectsOf(suspicions.filter((one) => one.judge === undefined || one.judge === judge)),
});

/** The outcome under these weights. Exchanging the arms in `basis` mirrors it. */
export function decide(basis: Basis, weights: Weights): ScoredOutcome {
  const { gates } = basis;
  const opinion = { ...opinionOf(basis, weights), probe_conflict: false };
  if (gates.no_winner === "check_could_not_run") return { ...opinion, ...NO_WINNER, outcome: "invalid" };
  if (gates.no_winner === "both_disqualified") return { ...opinion, ...NO_WINNER, decided_by: "gate" };
  const scored = gates.winner_side ? decidedByGate(opinion, gates, gates.winner_side) : vetoed(opinion, gates);
  if (gates.no_winner === "both_crashed")
    return { ...scored, ...NO_WINNER, lean_side: scored.winner_side ?? scored.lean_side };
  if (gates.no_winner === null || scored.outcome !== "winner") return scored;
  const decided_by = scored.decided_by === "probe" ? "probe" : "none";
  return { ...scored, ...NO_WINNER, lean_side: scored.winner_side, decided_by };
}

/**
 * Whether words could have moved what the judge said. They could when it names a winner that the hidden checks do not back
 * or whose words are suspected, and when it names none and the words of an arm are suspected. A masked repetition is needless
 * where broken rules or required checks decide, or where they or two crashes rule a winner out. Where words are the work,
 * only suspected ones need it.
 */
export function needsMaskedRepetition(basis: Basis, weights: Weights, words_are_work = false): boolean {
  const { gates, suspects } = basis;
  const { merged } = opinionOf(basis, weights);
  if (gates.no_winner === "both_crashed" || gates.no_winner === "check_could_not_run") return false;
  if (gates.no_winner === "both_disqualified" || isAbsolute(gates) || !merged || merged.outcome === "invalid")
    return false;
  if (merged.winner_side === null) return suspects.size > 0 && gates.winner_side === null;
  if (gates.winner_side === merged.winner_side) return false;
  if (suspects.has(merged.winner_side)) return true;
  return !words_are_work && gates.no_winner === null && !backs(gates, merged.winner_side);
}

/** Broken rules and required checks outrank the judge; graded checks decide only while the judge does not contradict. */
const isAbsolute = ({ winner_side, reason }: Gates) => winner_side !== null && reason !== "graded_checks";

const NO_WINNER = { outcome: "inconclusive", winner_side: null, lean_side: null, decided_by: "none" } as const;

function decidedByGate(opinion: ScoredOutcome, gates: Gates, winner_side: Side): ScoredOutcome {
  const probe_conflict = opinion.judge_side !== null && opinion.judge_side !== winner_side;
  if (probe_conflict && !isAbsolute(gates)) return conflicting(opinion);
  const decided_by = gates.decided_by ?? "none";
  return { ...opinion, outcome: "winner", winner_side, lean_side: null, decided_by, probe_conflict };
}

const vetoed = (opinion: ScoredOutcome, gates: Gates): ScoredOutcome =>
  opinion.winner_side !== null && vetoes(gates, opinion.winner_side) ? conflicting(opinion) : opinion;

const conflicting = (opinion: ScoredOutcome): ScoredOutcome => ({ ...opinion, ...NO_WINNER, probe_conflict: true });
