import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { SeriesSummary } from "../../../domain/series-summary.ts";
import type { TrialPlace } from "../../../domain/session.ts";
import { judgedRow, type TrialRow } from "../../../domain/trial.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { summaryOf } from "../../../statistics/standing.ts";
import type { SessionStore } from "../../../store/store.ts";
import type { OtherRuns } from "../other-runs.ts";
import type { Trial } from "../run-session.ts";

interface OfSeries {
  readonly place: TrialPlace;
  readonly others: OtherRuns;
  readonly store: Pick<SessionStore, "trials">;
  /** All trials of the series as they are known; those that run may have ended meanwhile. */
  readonly rows: () => readonly TrialRow[] | Promise<readonly TrialRow[]>;
  /** Where the series stands, where this trial cannot change it; undefined where it can. */
  readonly unmoved?: (session_id: string) => Promise<Omit<SeriesSummary, "trial"> | undefined>;
}

/** A run as a trial of the series whose record is at hand. */
export const trialOfSeries = (
  record: () => SeriesRecord,
  { place, others, store, rows, unmoved }: OfSeries,
): Trial => ({
  place,
  async summary(session_id, verdict) {
    const before = await unmoved?.(session_id);
    if (before && verdict.outcome !== "invalid") return { ...before, trial: place.trial };
    const own = ownRow(await store.trials({ session_id }), session_id, verdict);
    const beside = (await rows()).filter((row) => row.session_id !== session_id);
    const stored = await others.beside(record(), [...beside, { ...own, state: "completed" }]);
    return (trials) => summaryOf(record(), trials, { own: ownRow(trials, session_id, verdict), stored });
  },
});

/** The trial's row with the verdict that is about to be stored. */
function ownRow(trials: readonly TrialRow[], session_id: string, verdict: Verdict): TrialRow {
  const own = trials.find((row) => row.session_id === session_id);
  if (own === undefined) throw new Error(`${session_id} is no trial of its series`);
  return judgedRow(own, verdict);
}
