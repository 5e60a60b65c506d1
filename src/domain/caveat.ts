import type { Doubt, SeriesFlag } from "./series-summary.ts";

/** Something that can overturn what a headline says, in two or three words. */
export interface Caveat {
  /** A flag of a verdict or series, or `conflict`. */
  readonly id: string;
  readonly text: string;
  /** The headline may be wrong; otherwise it says less than it seems to. */
  readonly isGrave: boolean;
}

/** The gravest first. Other flags qualify a result without overturning it. */
const CAVEATS: readonly Caveat[] = [
  { id: "conflict", text: "verdicts contradict", isGrave: true },
  { id: "claim_reversed", text: "trials contradict", isGrave: true },
  { id: "check_could_not_run", text: "a check could not run", isGrave: true },
  { id: "judge_failed_self_test", text: "judge failed its self-test", isGrave: true },
  { id: "no_contrast", text: "equal arms", isGrave: true },
  { id: "baseline_selected", text: "stored runs were selected", isGrave: true },
  { id: "injection_effective", text: "an arm's text swayed the judge", isGrave: true },
  { id: "judge_probe_conflict", text: "judge against checks", isGrave: true },
  { id: "arm_crashed", text: "an agent crashed", isGrave: true },
  { id: "prose_decided", text: "decided by prose alone", isGrave: true },
  { id: "results_imported", text: "imported, not run here", isGrave: false },
  { id: "inputs_from_checkout", text: "inputs are the change's own", isGrave: false },
  { id: "fragile", text: "fragile", isGrave: false },
  { id: "baseline_not_concurrent", text: "one arm ran earlier", isGrave: false },
  { id: "not_concurrent", text: "arms ran apart", isGrave: false },
  { id: "no_variation", text: "identical trials", isGrave: false },
  { id: "equal_work", text: "identical work", isGrave: false },
  { id: "check_not_repeatable", text: "a check is not repeatable", isGrave: false },
];

/** What stands against the headline of a verdict or series, in the same words wherever it is told. */
export const caveatsOf = (flags: readonly string[], conflict = false): readonly Caveat[] =>
  CAVEATS.filter(({ id }) => (id === "conflict" ? conflict : flags.includes(id)));

/** What a series raises whenever this keeps it from a conclusion. */
export const FLAG_OF_DOUBT: Partial<Record<Doubt, SeriesFlag>> = {
  identical_trials: "no_variation",
  contradictory_trials: "claim_reversed",
  missing_trials: "fragile",
};
