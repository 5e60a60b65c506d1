import type { Facts } from "../../../domain/evidence.ts";
import type { Side } from "../../../domain/verdict.ts";
import { type Basis, seatOf, suspectsOf } from "../decide.ts";
import { gatesOf } from "../gates.ts";
import type { Case } from "../judge.ts";
import type { JudgeResult } from "../verdict/judge-result.ts";
import { type Measured, measure } from "../verdict/measure.ts";
import type { Weights } from "../verdict/score-table.ts";

/** What the rubric and the facts fix, whatever a judge says. */
export interface ScoringRules extends Pick<Basis, "gates" | "tie_margin"> {
  readonly measured: readonly Measured[];
  readonly weights: Weights;
}

export function scoringRules({ rubric, task, a, b }: Case, facts: Readonly<Record<Side, Facts>>): ScoringRules {
  const arms = { a: a.summary, b: b.summary };
  return {
    gates: gatesOf(facts.a, facts.b),
    tie_margin: rubric.tie_margin,
    measured: rubric.criteria.flatMap((criterion) =>
      criterion.kind === "measured" ? [measure(criterion, arms, task)] : [],
    ),
    weights: new Map(rubric.criteria.map(({ id, weight }) => [id, weight])),
  };
}

export const basisWith = (
  rules: ScoringRules,
  { calls, suspicions, panel }: Pick<JudgeResult, "calls" | "suspicions" | "panel">,
): Basis => ({
  ...rules,
  calls,
  suspects: suspectsOf(suspicions),
  seats: panel?.map(({ model }) => seatOf(model, suspicions)),
});
