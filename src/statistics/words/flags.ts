import { type EarlierTrials, SERIES_FLAGS, type SeriesFlag } from "../../domain/series.ts";
import type { Findings } from "../claim/findings.ts";
import { modelChangesOf } from "../summary/model-changes.ts";

interface Known {
  readonly mixed: boolean;
  readonly earlier: readonly (EarlierTrials | null)[];
  readonly judge_unaudited: boolean;
  readonly failed_self_tests: readonly string[];
}

/** What a reader should know before trusting the series. */
export function flagsOf(findings: Findings, known: Known): SeriesFlag[] {
  const { mixed, earlier, judge_unaudited, failed_self_tests } = known;
  const { subject, sequential } = findings;
  const raised: Readonly<Record<SeriesFlag, boolean>> = {
    served_model_changed: modelChangesOf(findings).length > 0,
    arms_differ: subject.arms_differ,
    fragile: sequential.fragile,
    claim_reversed: sequential.reversed,
    judge_failed_self_test: failed_self_tests.length > 0,
    judge_unaudited,
    no_variation: sequential.repeats.some(Boolean),
    scripted: subject.scripted,
    mixed,
    earlier_trials: earlier.some((one) => one !== null),
  };
  return SERIES_FLAGS.filter((flag) => raised[flag]);
}
