import type { Facts } from "../../../domain/evidence.ts";
import type { Side } from "../../../domain/verdict.ts";
import { type Basis, seatOf, suspectsOf } from "../decide.ts";
import { gatesOf } from "../facts.ts";
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
  const gates = gatesOf(facts.a, facts.b);
  const measured = rubric.criteria.flatMap((criterion) =>
    criterion.kind === "measured" ? [measure(criterion, arms, task)] : [],
  );
  return {
    gates,
    tie_margin: rubric.tie_margin,
    measured: gates.no_winner === "check_could_not_run" ? measured.map(notJudged) : measured,
    weights: new Map(rubric.criteria.map(({ id, weight }) => [id, weight])),
  };
}

/** Two equal scores would read as a tie. */
const notJudged = ({ note, ...score }: Measured): Measured => ({
  ...score,
  ...{ score_a: null, score_b: null, supported: false },
  note: `${note}; not judged: a hidden check could not run`,
});

export const basisWith = (
  rules: ScoringRules,
  { calls, suspicions, panel }: Pick<JudgeResult, "calls" | "suspicions" | "panel">,
): Basis => ({
  ...rules,
  calls,
  suspects: suspectsOf(suspicions),
  seats: panel?.map(({ model }) => seatOf(model, suspicions)),
});
