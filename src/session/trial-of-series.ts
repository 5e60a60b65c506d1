import type { SeriesRecord } from "../domain/series-record.ts";
import type { TrialPlace } from "../domain/session.ts";
import { judgedRow, type TrialRow } from "../domain/trial.ts";
import type { Verdict } from "../domain/verdict.ts";
import { summaryOf } from "../series/report.ts";
import type { Trial } from "./run-session.ts";

/** A run as a trial of the series whose record is at hand. */
export const trialOf = (record: () => SeriesRecord, place: TrialPlace): Trial => ({
  place,
  summarise: (trials, session_id, verdict) => summaryOf(record(), trials, ownRow(trials, session_id, verdict)),
});

/** The trial's row with the verdict that is about to be stored. */
function ownRow(trials: readonly TrialRow[], session_id: string, verdict: Verdict): TrialRow {
  const own = trials.find((row) => row.session_id === session_id);
  if (own === undefined) throw new Error(`${session_id} is no trial of its series`);
  return judgedRow(own, verdict);
}
