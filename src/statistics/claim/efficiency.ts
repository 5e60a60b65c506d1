import { EFFICIENCY_FIGURES, type EfficiencyFigure, type UsedRatio } from "../../domain/efficiency.ts";
import type { Series } from "../../domain/series.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";
import { placed, unitAt } from "./clusters.ts";
import { claimedSide } from "./conclusion.ts";
import type { Counts } from "./e-process.ts";
import { type Findings, missingForClaim } from "./findings.ts";
import { NOW, type Rules } from "./rules.ts";
import { worstCase } from "./sequential-test.ts";
import { countedIn } from "./tally.ts";

/** What both arms used in a trial. */
export interface UsedPair {
  readonly candidate: number;
  readonly control: number;
}

/** Figures that share the level: a claim about any of them is false in at most `alpha` of all series. */
const SHARING = EFFICIENCY_FIGURES.length;

/** What the candidate used over what the control used. A claim has to be borne out by all stored trials, as any other. */
export function efficiencyOf(findings: Findings): Series["efficiency"] {
  const { pool, subject } = findings;
  const missing = missingForClaim(findings);
  const of = (figure: EfficiencyFigure) => {
    const told = usedRatio(pairsOf(findings, findings, figure), { ...subject.levels, missing });
    const among = pool ? claimOf(pairsOf(findings, pool, figure), { ...subject.levels, missing: 0 }) : told.claim;
    return among === told.claim ? told : { ...told, claim: null };
  };
  return Object.fromEntries(EFFICIENCY_FIGURES.map((figure) => [figure, of(figure)])) as Series["efficiency"];
}

/** What is not known of both arms says nothing of either. Trials of a cluster are one pair in each round: their sum. */
function pairsOf(
  { subject }: Findings,
  { tallies, sequential }: Pick<Findings, "tallies" | "sequential">,
  figure: EfficiencyFigure,
): readonly UsedPair[] {
  const pairs = new Map<string, UsedPair>();
  for (const { row, round, place } of placed(tallies.map((tally) => countedIn(tally, sequential.log_e.length)))) {
    const used = usedIn(row, figure);
    if (used === undefined) continue;
    const unit = `${round} ${unitAt(subject.levels.clusters, place)}`;
    const before = pairs.get(unit) ?? { candidate: 0, control: 0 };
    const [candidate, control] = subject.control_side === "a" ? [used.b, used.a] : [used.a, used.b];
    pairs.set(unit, { candidate: before.candidate + candidate, control: before.control + control });
  }
  return [...pairs.values()];
}

function usedIn(row: TrialRow, figure: EfficiencyFigure): Readonly<Record<Side, number>> | undefined {
  const [a, b] = [row.arms.a[figure] ?? null, row.arms.b[figure] ?? null];
  return a === null || b === null || (figure === "wall_ms" && !isTimed(row)) ? undefined : { a, b };
}

/** What another machine measured, or this one at another time, is compared with nothing; tables say what they compare. */
const isTimed = ({ arms: { a, b }, stored_run }: TrialRow): boolean =>
  stored_run === undefined && !a.by_log && !b.by_log && a.wall_ms > 0 && b.wall_ms > 0;

interface UsedLevels {
  readonly alpha: number;
  readonly rules?: Rules;
  /** Pairs without a result: each might have gone against the claim. */
  readonly missing: number;
}

export function usedRatio(pairs: readonly UsedPair[], levels: UsedLevels): UsedRatio {
  const { candidate, control } = totalsOf(pairs);
  const range = rangeOfRatio(pairs, levels.alpha / SHARING);
  return {
    ratio: control > 0 ? candidate / control : null,
    low: range?.low ?? null,
    high: range?.high ?? null,
    claim: claimOf(pairs, levels),
    n: pairs.length,
  };
}

/** By the signs of the pairs, which need no assumption; the totals have to lie on the same side. */
function claimOf(pairs: readonly UsedPair[], { alpha, rules = NOW, missing }: UsedLevels): UsedRatio["claim"] {
  const counts: Counts = {
    wins: pairs.filter((pair) => pair.candidate < pair.control).length,
    ties: pairs.filter((pair) => pair.candidate === pair.control).length,
    losses: pairs.filter((pair) => pair.candidate > pair.control).length,
  };
  const side = claimedSide(worstCase(counts, missing), { alpha: alpha / SHARING, rules });
  const { candidate, control } = totalsOf(pairs);
  if (side === "a") return candidate < control ? "lower" : null;
  return side === "b" && candidate > control ? "higher" : null;
}

function totalsOf(pairs: readonly UsedPair[]): UsedPair {
  const sum = (of: (pair: UsedPair) => number) => pairs.reduce((total, pair) => total + of(pair), 0);
  return { candidate: sum((pair) => pair.candidate), control: sum((pair) => pair.control) };
}

/** Before it the range would miss the ratio far more often than it says. */
const LEAST_PAIRS = 30;

/**
 * The range of the ratio of totals by an asymptotic confidence sequence (Waudby-Smith et al., Time-uniform central limit theory and
 * asymptotic confidence sequences, Annals of Statistics 52, 2024), of the logarithm by the delta method. It is as narrow as can be at
 * `LEAST_PAIRS`, the first look.
 */
function rangeOfRatio(
  pairs: readonly UsedPair[],
  alpha: number,
): { readonly low: number; readonly high: number } | null {
  const { candidate, control } = totalsOf(pairs);
  const n = pairs.length;
  if (n < LEAST_PAIRS || candidate === 0 || control === 0) return null;
  const variance = pairs.reduce((sum, pair) => sum + (pair.candidate / candidate - pair.control / control) ** 2, 0) * n;
  const tuned = (n * (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha)))) / LEAST_PAIRS;
  const half = Math.sqrt((variance * 2 * (tuned + 1) * Math.log(Math.sqrt(tuned + 1) / alpha)) / (n * tuned));
  const ratio = candidate / control;
  return { low: ratio * Math.exp(-half), high: ratio * Math.exp(half) };
}
