import { shutsGate } from "../../domain/editable-inputs.ts";
import type { Because } from "../../domain/pipeline-gate.ts";
import type { SeriesFlag } from "../../domain/series-summary.ts";
import type { Side } from "../../domain/verdict.ts";
import type { Counts } from "./e-process.ts";
import { countedOf, type Findings } from "./findings.ts";

/** Whoever wrote a change could have made up the results: those of one trial are enough. */
export const isMadeByChange = ({ subject, rows }: Findings): boolean =>
  shutsGate(subject.told.inputs_from_checkout) || rows.some(({ from_checkout }) => from_checkout);

/** In no trial that counts do the arms differ: what they won, chance gave. */
export function isWithoutContrast(findings: Findings): boolean {
  const trials = countedOf(findings);
  return trials.length > 0 && trials.every(({ row: { doubts } }) => doubts?.includes("no_contrast"));
}

/**
 * Why no gate opens for an arm, whatever the trials say; null: nothing keeps it shut.
 * @param shows whether trials that split so would open it
 */
export function shutBy(
  findings: Findings,
  flags: readonly SeriesFlag[],
  { side, shows }: { readonly side: Side; readonly shows: (counts: Counts) => boolean },
): Because | null {
  if (isMadeByChange(findings)) return "inputs_from_checkout";
  if (flags.includes("judge_failed_self_test")) return "judge_failed_self_test";
  // A series that goes on afterwards has its missing trials, and a claim must survive these.
  if (flags.includes("check_could_not_run") && findings.subject.told.state === "failed") return "checks_could_not_run";
  if (isWithoutContrast(findings)) return "no_contrast";
  return isByKin(findings, side, shows) ? "judge_kin" : null;
}

/**
 * Whether it takes the preference of a judge that is kin of this arm alone. Rules and checks have no taste, so that what they
 * decided counts; what the judge decided for its kin counts as no winner.
 */
function isByKin(findings: Findings, side: Side, shows: (counts: Counts) => boolean): boolean {
  const liked = countedOf(findings).filter(
    ({ row: { outcome, winner_side, decided_by, judge } }) =>
      outcome === "winner" &&
      winner_side === side &&
      judge.kin_of === side &&
      (decided_by === "judge" || decided_by === "measured"),
  ).length;
  if (liked === 0 || findings.subject.measure !== "preferred") return false;
  const { wins, ties, losses } = findings.sequential.counts;
  return !shows(
    side === "a"
      ? { wins: wins - liked, ties: ties + liked, losses }
      : { wins, ties: ties + liked, losses: losses - liked },
  );
}
