import { isCrashed } from "./end-text.ts";
import type { Flag, Outcome, Verdict } from "./verdict.ts";

/** What a flag says of the want of a winner, the gravest first. */
const REASONS: readonly (readonly [Flag, string])[] = [
  ["check_could_not_run", "No winner: a check could not run"],
  ["both_disqualified", "No winner: both were disqualified"],
  ["neither_solved", "No winner: neither solved it"],
  ["injection_effective", "No winner: words swayed the judge"],
  ["prose_decided", "No winner: prose alone decided"],
  ["judge_probe_conflict", "No winner: scores contradict the checks"],
  ["judge_context_too_small", "No winner: too much to judge"],
  ["cost_limit_reached", "No winner: no money to judge"],
  ["judge_invalid", "No winner: no usable judgement"],
];

const OTHERWISE: Readonly<Record<string, string>> = {
  inconsistent: "No winner: the orders disagree",
  invalid: "No winner: no usable judgement",
  inconclusive: "No winner: too little to tell",
} satisfies Record<Exclude<Outcome, "winner" | "tie">, string>;

/** Why a verdict names no winner, in five words or so. */
export function whyNobody({ outcome, flags, facts, lean_side }: Verdict): string {
  if (outcome === "tie") return "A tie within the margin";
  if (flags.includes("arm_crashed") && isCrashed(facts.a) && isCrashed(facts.b)) return "No winner: both crashed";
  const reason = REASONS.find(([flag]) => flags.includes(flag));
  if (reason) return reason[1];
  if (outcome === "inconclusive" && lean_side !== null) return "No winner, but a lean";
  // A page may be older than the server.
  return OTHERWISE[outcome === "winner" ? "inconclusive" : outcome] ?? outcome.replaceAll("_", " ");
}
