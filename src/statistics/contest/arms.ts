import type { ContestPlan } from "../../domain/contest-plan.ts";
import { memberName } from "../../domain/member.ts";
import { isFinal } from "../../domain/session-state.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { sumKnown } from "../../domain/usage.ts";
import type { Side } from "../../domain/verdict.ts";
import { countedOf } from "../claim/findings.ts";
import { meanOf } from "../claim/means.ts";
import { valueIn } from "../claim/value-in.ts";
import type { PlayedPair } from "./played.ts";

/** What is known of an arm's runs, each once: the pairs of a contest share them. */
interface ArmRuns {
  readonly value: number | null;
  readonly trials: number;
  readonly cost: { readonly mean: number | null; readonly total: number | null };
}

const SIDES = ["a", "b"] as const;

/** @param tells_totals what a table says of costs is not all that was spent */
export function runsOf(
  arm: string,
  { pairs }: ContestPlan,
  played: readonly PlayedPair[],
  tells_totals: boolean,
): ArmRuns {
  const own = played.flatMap((pair, place) => {
    const side = SIDES[pairs[place]?.arms.indexOf(arm) ?? -1];
    return side === undefined ? [] : [{ pair, side }];
  });
  const values = new Map(own.flatMap(({ pair, side }) => valuesIn(pair, side)));
  const all = [...costsIn(own).values()].flat();
  const known = all.filter((cost) => cost !== null);
  return {
    value:
      played[0]?.findings.subject.measure === "preferred" || values.size === 0 ? null : meanOf([...values.values()]),
    trials: values.size,
    cost: { mean: known.length === 0 ? null : meanOf(known), total: tells_totals ? sumKnown(all) : null },
  };
}

interface Own {
  readonly pair: PlayedPair;
  readonly side: Side;
}

/** By run: one that is shared is in the rows of several pairs; one that was lost and tried again in several rows of one pair. */
function costsIn(own: readonly Own[]): ReadonlyMap<string, readonly (number | null)[]> {
  const costs = new Map<string, readonly (number | null)[]>();
  for (const { pair, side } of own)
    for (const [run, rows] of Map.groupBy(pair.findings.rows.filter(isEnded), runIn)) {
      // A retry of the other arm shows the run that there is once more.
      const ran = new Map(rows.map((row) => [row.stored_runs?.[side] ?? row.session_id, row.arms[side].cost_usd]));
      if (ran.size > (costs.get(run)?.length ?? 0)) costs.set(run, [...ran.values()]);
    }
  return costs;
}

const isEnded = ({ state }: TrialRow) => isFinal(state);

const runIn = (row: TrialRow) => `${memberName(row)} ${row.place?.round ?? 0}`;

const valuesIn = ({ findings }: PlayedPair, side: Side) =>
  countedOf(findings).map((trial) => [runIn(trial.row), valueIn(findings.subject, trial, side)] as const);
