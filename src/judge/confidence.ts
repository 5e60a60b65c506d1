import type { Confidence, Flag } from "../domain/verdict.ts";
import type { Basis, Standing } from "./score.ts";

/** Flags that take trust from whatever a judge says. */
const TRUST_FLAGS: ReadonlySet<Flag> = new Set([
  "truncated_core",
  "injection_suspected",
  "injection_effective",
  "self_family",
  "scenario_drift",
  "judge_probe_conflict",
  "citations_dropped",
]);

/** Score gaps of a firm and of a hair-thin winner. */
const FIRM_GAP = 0.15;
const THIN_GAP = 0.05;

const RANKS = ["none", "low", "medium", "high"] as const;

/** By rule, not by feeling: `none` without a winner, at most medium without hidden checks. */
export function confidenceOf(standing: Standing, basis: Basis, flags: readonly Flag[]): Confidence {
  if (standing.outcome !== "winner" || standing.winner_side === null) return "none";
  const cap = flags.includes("no_objective_check") ? "medium" : "high";
  const { decided_by } = standing;
  const own =
    decided_by === "gate" || decided_by === "probe"
      ? gateConfidence(standing, flags)
      : scoreConfidence(standing, basis, flags);
  return RANKS[Math.min(RANKS.indexOf(own), RANKS.indexOf(cap))] ?? "none";
}

/** Facts stand whatever the judge saw or said; another scenario's facts do not. */
function gateConfidence({ probe_conflict }: Standing, flags: readonly Flag[]): Confidence {
  if (flags.includes("scenario_drift")) return "low";
  return probe_conflict ? "medium" : "high";
}

function scoreConfidence(standing: Standing, { gates, measured }: Basis, flags: readonly Flag[]): Confidence {
  const { winner_side, score_gap, decided_by } = standing;
  const toward = (winner_side === "b" ? -1 : 1) * (score_gap ?? 0);
  if (toward < THIN_GAP || flags.some((flag) => TRUST_FLAGS.has(flag))) return "low";
  const against = gates.probe_gap !== null && (winner_side === "b" ? gates.probe_gap > 0 : gates.probe_gap < 0);
  const partial = decided_by === "measured" && measured.some(({ supported }) => !supported);
  return toward >= FIRM_GAP && !against && !partial ? "high" : "medium";
}
