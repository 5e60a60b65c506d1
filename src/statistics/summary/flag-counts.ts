import type { Series } from "../../domain/series.ts";
import type { CountedFlag } from "../../domain/series-summary.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { SIDES } from "../../domain/verdict.ts";
import { countedOf, type Findings } from "../claim/findings.ts";

/** How many of the trials that count raise each flag. */
export function flagCounts(findings: Findings): Readonly<Record<CountedFlag, number>> {
  const rows = countedOf(findings).map(({ row }) => row);
  const won = rows.filter(({ outcome }) => outcome === "winner").length;
  const raising = (raises: (row: TrialRow) => boolean) => rows.filter(raises).length;
  const low = raising(hasDoubt("low_confidence"));
  return {
    no_contrast: raising(hasDoubt("no_contrast")),
    self_family: raising(({ judge }) => judge.kin_of !== undefined),
    panel_one_family: raising(hasDoubt("panel_one_family")),
    arm_crashed: raising(({ arms }) => SIDES.some((side) => arms[side].crashed)),
    judge_follows_order: raising(({ outcome }) => outcome === "inconsistent"),
    not_concurrent: raising(({ apart }) => apart === true),
    // Of one trial its verdict says it.
    low_confidence: won > 1 && low > won / 2 ? low : 0,
  };
}

const hasDoubt =
  (doubt: string) =>
  ({ doubts }: TrialRow) =>
    doubts?.some((one) => one === doubt) === true;

/** Those that some trial raises, as a report tells them. */
export function raisedFlagCounts(findings: Findings): Pick<Series, "flag_counts"> {
  const raised = Object.entries(flagCounts(findings)).filter(([, count]) => count > 0);
  return raised.length === 0 ? {} : { flag_counts: Object.fromEntries(raised) };
}
