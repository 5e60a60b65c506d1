import type { SessionOutcome } from "../../../domain/session.ts";
import { toSeries } from "../routes.ts";

/** Who asked for a session, and the series that it is a trial of. */
export function Origin({ session: { user, trial } }: { session: Pick<SessionOutcome, "user" | "trial"> }) {
  return (
    <>
      {user !== undefined && (
        <>
          {" · asked by "}
          <bdi>{user}</bdi>
        </>
      )}
      {trial && (
        <>
          {" · "}Trial {trial.trial} of <a href={toSeries(trial.series_id)}>series {trial.series_id}</a>
        </>
      )}
    </>
  );
}
