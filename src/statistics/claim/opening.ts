import type { Because, GateOpening } from "../../domain/pipeline-gate.ts";
import type { Side } from "../../domain/verdict.ts";
import { totalIn } from "./e-process.ts";
import { countedOf, type Findings } from "./findings.ts";
import { isNotWorseByMean, valuesOf } from "./means.ts";
import { leastEqualPairs } from "./not-worse.ts";
import { conclusionOf, isOnlyCopies } from "./sequential-test.ts";

/** What the trials open for an arm, or why they do not. Both the series' own trials and all stored ones must show it. */
export function openingOf(findings: Findings, side: Side): GateOpening {
  const unfit = unfitBy(findings);
  if (unfit !== null) return unfit;
  const ahead = AHEAD[findings.conclusion];
  if (ahead === side) return meansAgree(findings, side) ? "better" : "means_disagree";
  if (ahead !== null && meansAgree(findings, ahead)) return "worse";
  return isNotWorse(findings, side) ? "not_worse" : whyNot(findings, side);
}

const AHEAD = { a_preferred: "a", b_preferred: "b", no_difference_above_margin: null, undecided: null } as const;

/** What lets the trials open nothing for either arm. */
function unfitBy(findings: Findings): Because | null {
  const { subject, sequential } = findings;
  if (subject.told.plan?.baseline?.selected) return "selected_baseline";
  if (isNothingSolved(findings)) return "nothing_solved";
  if (isOnlyCopies(sequential)) return "no_variation";
  if (sequential.range === null || sequential.reversed) return "results_changed";
  return sequential.claim && !sequential.stands ? "lapsed" : null;
}

function whyNot({ subject, sequential, pool, conclusion }: Findings, side: Side): GateOpening {
  const { claim, fragile, bet, uncertain } = sequential;
  if (claim?.side === side && fragile) return "missing_trials";
  if (pool && (conclusion !== conclusionOf(sequential) || sequential.not_worse_at[side] !== null))
    return "other_trials_disagree";
  if (subject.told.state === "cancelled") return "cancelled";
  const pairs = totalIn(bet);
  if (pairs > 0 && pairs < leastEqualPairs(subject.levels)) return "few_pairs";
  return uncertain.missing > 0 && pairs > 0 && 2 * uncertain.missing > pairs ? "missing_trials" : "not_shown";
}

/** Who is ahead in most trials can be behind on average. */
function meansAgree(findings: Findings, side: Side): boolean {
  const values = findings.subject.measure === "score" ? valuesOf(findings) : null;
  return values === null || (side === "a" ? values.a > values.b : values.b > values.a);
}

/** Equal arms that never work open nothing. Without required checks nobody knows. */
function isNothingSolved(findings: Findings): boolean {
  const known = countedOf(findings).flatMap(({ row: { arms } }) => [arms.a.solved ?? [], arms.b.solved ?? []].flat());
  return known.length > 0 && !known.some(Boolean);
}

function isNotWorse(findings: Findings, side: Side): boolean {
  const { sequential, pool, subject } = findings;
  if (subject.measure === "score") return isNotWorseByMean(findings, side);
  return sequential.not_worse_at[side] !== null && (pool === null || pool.sequential.not_worse_at[side] !== null);
}
