import type { Series } from "../../../domain/series.ts";
import { trialResult } from "../../../domain/series-status.ts";
import type { SeriesTrial } from "../../../domain/series-trial.ts";
import type { Side } from "../../../domain/verdict.ts";
import { evidenceText } from "../../../statistics/figure-text.ts";
import { HELD_TEXT, kindOf } from "../../../statistics/trial-kind.ts";
import { count, UNKNOWN, usd } from "../format.ts";

/** A sentence on a trial: what it gave, and where the series stood then. */
export function trialSentence(trial: SeriesTrial, arms: Readonly<Record<Side, string>>, alpha: number): string {
  const { scenario, e_after, cost_usd } = trial;
  return [
    `Trial ${trial.trial} of ${scenario}: ${trialResult(trial, arms)}`,
    kindOf(trial) === "held" ? `not counted, ${HELD_TEXT}` : "",
    kindOf(trial) === "copy" ? "not counted, a copy of another trial" : "",
    e_after === null ? "" : `evidence then ${evidenceText(e_after, alpha)}`,
    cost_usd === null ? "" : usd(cost_usd),
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** Why the series lacks trials, with how many by each cause. */
export function missingText({ missing_by: { a, b, both, judge }, counts, arms }: Series): string {
  const parts = [
    [a, `in ${arms.a.arm_id}'s run`],
    [b, `in ${arms.b.arm_id}'s run`],
    [both, "in both runs"],
    [judge, "outside both runs"],
    [counts.cancelled, "cancelled"],
    [counts.deleted, "deleted"],
  ] as const;
  return parts.flatMap(([trials, where]) => (trials === 0 ? [] : [`${count(trials)} ${where}`])).join(", ") || UNKNOWN;
}
