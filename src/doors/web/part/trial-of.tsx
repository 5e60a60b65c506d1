import type { SessionOutcome } from "../../../domain/session.ts";
import { toSeries } from "../routes.ts";

/** The series that a session is a trial of; nothing for a single run. */
export function TrialOf({ session: { trial } }: { session: Pick<SessionOutcome, "trial"> }) {
  if (!trial) return null;
  return (
    <>
      {" · "}Trial {trial.trial} of <a href={toSeries(trial.series_id)}>series {trial.series_id}</a>
    </>
  );
}
