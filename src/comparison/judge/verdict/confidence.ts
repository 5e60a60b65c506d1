import type { Task } from "../../../domain/task.ts";
import type { Confidence, Flag, JudgeCall } from "../../../domain/verdict.ts";
import type { Basis, ScoredOutcome } from "../decide.ts";
import { byJudge, labelOf, reaches, scoreTables, type Weights, weigh } from "./score-table.ts";

/** Flags that make a winner by scores `low`. */
const TRUST_FLAGS: ReadonlySet<Flag> = new Set([
  "truncated_core",
  "self_family",
  "judge_failed_self_test",
  "scenario_drift",
  "judge_probe_conflict",
  "score_preference_conflict",
  "unconfirmed",
  "cost_limit_reached",
  "citations_dropped",
  "equal_work",
  "no_contrast",
]);

/** Flags that make every winner `medium` at most. */
const CAPS: ReadonlySet<Flag> = new Set(["no_objective_check", "prose_only", "arm_cost_limited", "arm_crashed"]);

/** A gap of this much in each order makes a winner firm. */
const FIRM_GAP = 0.3;

/** A mean gap below this makes a winner `low`. */
const THIN_GAP = 0.05;

/**
 * Whether a judge read words as the work, and no hidden check says anything about them. A reference does not help: a judge that
 * obeys what an answer says does not compare it.
 */
export const wordsAlone = ({ answer }: Pick<Task, "answer">, flags: readonly Flag[]): boolean =>
  (answer === true || flags.includes("prose_only")) && flags.includes("no_objective_check");

/**
 * Confidence follows from rules alone: `none` without a winner, at most `medium` without hidden checks, at most `low` where a
 * judge's scores of words alone decide.
 */
export function confidenceOf(
  scored: ScoredOutcome,
  basis: Basis,
  flags: readonly Flag[],
  words_alone = false,
): Confidence {
  const { outcome, winner_side, decided_by } = scored;
  if (outcome !== "winner" || winner_side === null) return "none";
  const byFacts = decided_by === "gate" || decided_by === "probe";
  if (!byFacts && words_alone && basis.calls.length > 0) return "low";
  const own = byFacts ? gateConfidence(scored, basis, flags) : scoreConfidence(scored, basis, flags);
  return own === "high" && flags.some((flag) => CAPS.has(flag)) ? "medium" : own;
}

/**
 * What the judge saw or said takes nothing from facts, another scenario does. Equal work gives neither checks nor rules a reason
 * that shows in it, and arms that do not differ none at all. What an arm did elsewhere is as its log says, so rules about it prove little. Graded checks need a firm judge
 * for `high`.
 */
function gateConfidence(scored: ScoredOutcome, { gates }: Basis, flags: readonly Flag[]): Confidence {
  if (flags.some((flag) => flag === "scenario_drift" || flag === "equal_work" || flag === "no_contrast")) return "low";
  if (scored.decided_by === "gate" && flags.includes("imported_arm")) return "low";
  if (scored.probe_conflict) return "medium";
  return gates.reason === "graded_checks" && !isFirm(scored) ? "medium" : "high";
}

function scoreConfidence(scored: ScoredOutcome, basis: Basis, flags: readonly Flag[]): Confidence {
  const { sure_gap, decided_by, second } = scored;
  const thin = !reaches(sign(scored) * sure_gap, THIN_GAP);
  if (thin || flags.some((flag) => TRUST_FLAGS.has(flag))) return "low";
  if (isSuspected(scored, basis)) return second === "confirms" ? "medium" : "low";
  const doubted = checksAgainst(scored, basis) || (decided_by === "measured" && !isWhole(basis));
  return isFirm(scored) && !doubted ? "high" : "medium";
}

const sign = ({ winner_side }: ScoredOutcome) => (winner_side === "b" ? -1 : 1);

const isFirm = (scored: ScoredOutcome) => reaches(sign(scored) * scored.least_gap, FIRM_GAP);

const isSuspected = ({ winner_side }: ScoredOutcome, { suspects }: Basis) =>
  winner_side !== null && suspects.has(winner_side);

const checksAgainst = (scored: ScoredOutcome, { gates }: Basis) => sign(scored) * (gates.probe_gap ?? 0) < 0;

/** The measures decided alone: no judge was asked, and every measure was known. */
const isWhole = ({ calls, measured }: Basis) => calls.length === 0 && measured.every(({ supported }) => supported);

/** A preference for neither arm contradicts judged scores that are at least this far apart. */
const CLEAR_GAP = 0.15;

/**
 * Whether the judge's stated preference contradicts its own scores in a valid call: it prefers the arm that they do not
 * name, or neither at a clear gap. Only judged criteria count, because the judge has not seen the measured ones.
 */
export function hasPreferenceConflict(
  { calls, tie_margin }: { readonly calls: readonly JudgeCall[]; readonly tie_margin: number },
  weights: Weights,
): boolean {
  return byJudge(calls).some((own) =>
    scoreTables(own, []).shown.some((table) => {
      const call = own.find(({ order, masked, valid }) => valid && !masked && order === table.order);
      const scores = weigh(table, weights);
      return call !== undefined && scores !== null && contradicts(call.preference, scores.gap, tie_margin);
    }),
  );
}

function contradicts(preference: JudgeCall["preference"], gap: number, tie_margin: number): boolean {
  if (preference === null) return false;
  if (preference === "tie") return reaches(Math.abs(gap), CLEAR_GAP);
  const label = labelOf(gap, tie_margin);
  return label !== "tie" && label !== preference;
}
