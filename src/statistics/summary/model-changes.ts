import { withInputId } from "../../domain/member.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";
import { type Findings, trialOf } from "../claim/findings.ts";

interface ModelChange {
  readonly scenario: string;
  readonly input?: string;
  readonly trial: number;
  readonly who: Side | "judge";
  readonly from: string;
  readonly to: string;
}

/** The first change of each served model in each scenario. A provider's silence is no change. */
export function modelChangesOf({ subject, rows: all, tallies }: Findings): readonly ModelChange[] {
  const served = { a: servedBy("a"), b: servedBy("b"), judge: ({ judge }: TrialRow) => judge.model_served };
  return tallies.flatMap(({ rows }, place) =>
    (rows.length < 2 ? [] : (["a", "b", "judge"] as const)).flatMap((who) => {
      const from = rows.map(served[who]).find((model) => model !== null);
      const index = rows.findIndex((row) => served[who](row) !== null && served[who](row) !== from);
      const [row, scenario] = [rows[index], subject.scenarios[place]];
      const to = row && served[who](row);
      if (!row || !from || !to || scenario === undefined) return [];
      return {
        scenario: scenario.scenario,
        ...withInputId(scenario.input),
        trial: trialOf(subject, row, all.indexOf(row)),
        who,
        from,
        to,
      };
    }),
  );
}

const servedBy =
  (side: Side) =>
  ({ arms }: TrialRow) =>
    arms[side].model_served;
