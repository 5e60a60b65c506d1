import type { Confidence, Flag } from "../domain/verdict.ts";
import type { Basis, Standing } from "./score.ts";

/** Flags that take trust from whatever a judge says. */
const TRUST_FLAGS: ReadonlySet<Flag> = new Set([
  "truncated_core",
  "self_family",
  "scenario_drift",
  "judge_probe_conflict",
  "score_preference_conflict",
  "unconfirmed",
  "cost_limit_reached",
  "citations_dropped",
]);

/** Flags of runs that can be strong evidence and never firm. */
const CAPS: ReadonlySet<Flag> = new Set(["no_objective_check", "prose_only", "arm_cost_limited"]);

/** Score gaps of a firm winner, in each order, and of a hair-thin one, in the mean. */
const FIRM_GAP = 0.3;
const THIN_GAP = 0.05;

/** Binary fractions: 0.65 - 0.35 must count as 0.3. */
const EPSILON = 1e-9;

/** By rule, not by feeling: `none` without a winner, at most medium without hidden checks. */
export function confidenceOf(standing: Standing, basis: Basis, flags: readonly Flag[]): Confidence {
  const { outcome, winner_side, decided_by } = standing;
  if (outcome !== "winner" || winner_side === null) return "none";
  const byFacts = decided_by === "gate" || decided_by === "probe";
  const own = byFacts ? gateConfidence(standing, basis, flags) : scoreConfidence(standing, basis, flags);
  return own === "high" && flags.some((flag) => CAPS.has(flag)) ? "medium" : own;
}

/** Facts stand whatever the judge saw or said; another scenario's facts do not. Graded checks are firm with a firm judge. */
function gateConfidence(standing: Standing, { gates }: Basis, flags: readonly Flag[]): Confidence {
  if (flags.includes("scenario_drift")) return "low";
  if (standing.probe_conflict) return "medium";
  return gates.reason === "graded_checks" && !isFirm(standing) ? "medium" : "high";
}

function scoreConfidence(standing: Standing, basis: Basis, flags: readonly Flag[]): Confidence {
  const { score_gap, decided_by, second } = standing;
  if (sign(standing) * (score_gap ?? 0) < THIN_GAP - EPSILON || flags.some((flag) => TRUST_FLAGS.has(flag)))
    return "low";
  if (isSuspected(standing, basis)) return second === "confirms" ? "medium" : "low";
  const doubted = checksAgainst(standing, basis) || (decided_by === "measured" && !isWhole(basis));
  return isFirm(standing) && !doubted ? "high" : "medium";
}

const sign = ({ winner_side }: Standing) => (winner_side === "b" ? -1 : 1);

const isFirm = (standing: Standing) => sign(standing) * standing.least_gap >= FIRM_GAP - EPSILON;

const isSuspected = ({ winner_side }: Standing, { suspects }: Basis) =>
  winner_side !== null && suspects.has(winner_side);

const checksAgainst = (standing: Standing, { gates }: Basis) => sign(standing) * (gates.probe_gap ?? 0) < 0;

/** What decided by measures alone: no judge spoke against them, and every measure was known. */
const isWhole = ({ calls, measured }: Basis) => calls.length === 0 && measured.every(({ supported }) => supported);
