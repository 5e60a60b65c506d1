import type { Series, SeriesTrial } from "../../domain/series.ts";
import { isFinal } from "../../domain/session-state.ts";
import type { Side } from "../../domain/verdict.ts";
import { evidenceText } from "../../series/figure-text.ts";
import { kindOf } from "../../series/trial-kind.ts";
import { UNKNOWN, usd, words } from "../format.ts";

/** A sentence on a trial: what it gave, and where the series stood then. */
export function trialText(trial: SeriesTrial, arms: Readonly<Record<Side, string>>, alpha: number): string {
  const { scenario, e_after, cost_usd } = trial;
  return [
    `Trial ${trial.trial} of ${scenario}: ${resultText(trial, arms)}`,
    kindOf(trial) === "held" ? "it waits for others to count" : "",
    e_after === null ? "" : `evidence then ${evidenceText(e_after, alpha)}`,
    cost_usd === null ? "" : usd(cost_usd),
  ]
    .filter((part) => part !== "")
    .join("; ");
}

function resultText({ state, outcome, d }: SeriesTrial, arms: Readonly<Record<Side, string>>): string {
  if (!isFinal(state)) return words(state);
  if (d === null) return `missing, ${outcome === "invalid" ? "no usable judgement" : words(state)}`;
  if (d === 0) return outcome === null || outcome === "winner" ? "no winner" : `no winner, ${words(outcome)}`;
  return `${d > 0 ? arms.a : arms.b} won`;
}

/** Why the series lacks trials, with how many by each cause. */
export function missingText({ missing_by: { a, b, both, judge }, counts, arms }: Series): string {
  const parts = [
    [a, `in ${arms.a.arm_id}'s run`],
    [b, `in ${arms.b.arm_id}'s run`],
    [both, "in both runs"],
    [judge, "elsewhere"],
    [counts.cancelled, "cancelled"],
    [counts.deleted, "deleted"],
  ] as const;
  return parts.flatMap(([trials, where]) => (trials === 0 ? [] : [`${trials} ${where}`])).join(", ") || UNKNOWN;
}
