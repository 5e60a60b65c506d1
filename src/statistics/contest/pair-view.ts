import type { ContestPlan } from "../../domain/contest-plan.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { inOrder } from "../claim/tally.ts";

/** The plan of a series that is a contest. @throws Error where two arms are compared */
export function contestOf({ plan: { contest } }: Pick<SeriesRecord, "plan">): ContestPlan {
  if (contest === undefined) throw new Error("the series compares two arms");
  return contest;
}

/** A series of two arms, and its rows. */
interface PairView {
  readonly series: SeriesRecord;
  readonly rows: readonly TrialRow[];
}

/**
 * Two arms of a contest as the series that they would be alone: whatever is said of a series can be said of them. Trials have
 * numbers of their own, from 1, in the order of creation.
 * @param pair place in the pairs of the plan
 */
export function pairView(contest: SeriesRecord, rows: readonly TrialRow[], pair: number): PairView {
  const { arms: all, pairs, control } = contestOf(contest);
  const { arms = all.slice(0, 2), comparisons = [] } = pairs[pair] ?? {};
  const { contest: _, baseline: __, ...plan } = contest.plan;
  const own = inOrder(rows.filter((row) => row.pair === pair));
  const named = control !== null && arms.includes(control) ? control : arms[0];
  return {
    series: {
      ...contest,
      ...(named !== undefined && { control: named }),
      plan: {
        ...plan,
        arms: [...arms],
        scenarios: plan.scenarios.map((member, place) => ({
          ...member,
          comparison: comparisons[place] ?? member.comparison,
        })),
      },
    },
    rows: own.map((row, index) => ({ ...row, place: row.place && { ...row.place, trial: index + 1 } })),
  };
}
