import { type ContestPlan, contestPairs } from "../../src/domain/contest-plan.ts";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import type { TrialSpec } from "../../src/statistics/advance.ts";
import { type Planned, rowOf, seriesOf } from "./series.ts";

interface Contested extends Planned {
  readonly names: readonly string[];
  readonly mode?: ContestPlan["mode"];
  readonly control?: string | null;
  readonly keep_running?: true;
  readonly fdr?: true;
}

/** A contest of arms that solve their tasks or do not. */
export function contestSeries({
  names,
  mode = "against",
  control,
  keep_running,
  fdr,
  ...planned
}: Contested): SeriesRecord {
  const compared = {
    mode,
    control: control === undefined && mode === "against" ? (names[0] ?? null) : (control ?? null),
  };
  const series = seriesOf({ measure: "solved", arms: names.slice(0, 2), ...planned });
  const pairs = contestPairs(names, compared).map((arms) => ({
    arms: [...arms],
    comparisons: series.plan.scenarios.map(({ scenario }) => comparisonOf(scenario, arms)),
  }));
  const contest = { arms: [...names], ...compared, ...(keep_running && { keep_running }), ...(fdr && { fdr }), pairs };
  return { ...series, plan: { ...series.plan, contest } };
}

const comparisonOf = (scenario: string, arms: readonly string[]) => sha256(`${scenario} of ${arms.join(" and ")}`);

/**
 * Rows of a contest: a run of each arm and scenario in each round, shared by all pairs of both arms.
 * @param solves whether an arm solves a scenario in a round
 * @param runs whether it takes part in the round
 */
export function contestRows(
  { plan: { contest, scenarios } }: SeriesRecord,
  rounds: number,
  solves: (arm: string, scenario: string, round: number) => boolean,
  runs: (arm: string, round: number) => boolean = () => true,
): readonly TrialRow[] {
  const rows: TrialRow[] = [];
  for (let round = 1; round <= rounds; round += 1)
    for (const [place, { scenario }] of scenarios.entries()) {
      const solved = new Map(contest?.arms.map((arm) => [arm, solves(arm, scenario, round)]));
      for (const [pair, { arms, comparisons }] of (contest?.pairs ?? []).entries())
        if (arms.every((arm) => runs(arm, round))) {
          const spec = { trial: rows.length + 1, round, scenario };
          const [a = false, b = false] = arms.map((arm) => solved.get(arm) === true);
          rows.push({ ...rowOfPair(spec, a, b), pair, comparison: comparisons?.[place] ?? null });
        }
    }
  return rows;
}

function rowOfPair(spec: TrialSpec, a: boolean, b: boolean): TrialRow {
  const row = rowOf(spec, a === b ? "tie" : a ? "a" : "b", { decided_by: "probe" });
  return { ...row, arms: { a: { ...row.arms.a, solved: a }, b: { ...row.arms.b, solved: b } } };
}
