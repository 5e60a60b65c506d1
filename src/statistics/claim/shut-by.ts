import { shutsGate } from "../../domain/editable-inputs.ts";
import { type Because, type GateOpening, isOpen } from "../../domain/pipeline-gate.ts";
import type { SeriesFlag } from "../../domain/series-summary.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";
import { countedOf, type Findings, findingsOf } from "./findings.ts";
import { openingOf } from "./opening.ts";

/** Whoever wrote a change could have made up the results: those of one trial are enough. */
export const isMadeByChange = ({ subject, rows }: Findings): boolean =>
  shutsGate(subject.told.inputs_from_checkout) || rows.some(({ from_checkout }) => from_checkout);

/** In no trial that counts do the arms differ: what they won, chance gave. */
export function isWithoutContrast(findings: Findings): boolean {
  const trials = countedOf(findings);
  return trials.length > 0 && trials.every(({ row: { doubts } }) => doubts?.includes("no_contrast"));
}

/** Why no gate opens for either arm, whatever the trials say; null: nothing keeps it shut. */
export function shutBy(findings: Findings, flags: readonly SeriesFlag[]): Because | null {
  if (isMadeByChange(findings)) return "inputs_from_checkout";
  if (flags.includes("judge_failed_self_test")) return "judge_failed_self_test";
  // A series that goes on afterwards has its missing trials, and a claim must survive these.
  if (flags.includes("check_could_not_run") && findings.subject.told.state === "failed") return "checks_could_not_run";
  return isWithoutContrast(findings) ? "no_contrast" : null;
}

/**
 * What the trials open for an arm without the taste of a judge that is kin of this arm alone. Rules and checks have no taste, so that
 * what they decided counts; what the judge decided for its kin counts as no winner.
 */
export function openingWithoutKin(findings: Findings, side: Side): GateOpening {
  const shown = openingOf(findings, side);
  return !isOpen(shown) || openingOf(withoutKin(findings, side), side) === shown ? shown : "judge_kin";
}

/** The series' own trials, or all where none is so decided. */
export function withoutKin(findings: Findings, side: Side): Findings {
  const { subject, rows } = findings;
  if (subject.measure !== "preferred" || !rows.some((row) => isByKin(row, side))) return findings;
  const level = { outcome: "tie", winner_side: null } as const;
  return findingsOf(
    subject,
    rows.map((row) => (isByKin(row, side) ? { ...row, ...level } : row)),
  );
}

const isByKin = ({ outcome, winner_side, decided_by, judge }: TrialRow, side: Side): boolean =>
  outcome === "winner" &&
  winner_side === side &&
  judge.kin_of === side &&
  (decided_by === "judge" || decided_by === "measured");
