import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { RequestKey } from "../../store/request-keys.ts";
import type { SessionServices } from "../planning/services.ts";
import { storedSession } from "./stored-arm.ts";

/** Who asks for something. */
export interface Requester {
  /** What is asked with the same key is done once. */
  readonly key?: RequestKey | undefined;
  /** The name that a proxy gives the user. Nobody has checked it. */
  readonly user?: string | undefined;
}

export interface StartedSession {
  readonly session_id: string;
  /** A failed run is an outcome too. @throws Failure when the outcome cannot be read. */
  readonly done: Promise<SessionOutcome>;
}

/** A session that was started before: here, or anywhere on a shared store. It is followed only once its end is asked for. */
export function startedBefore(services: SessionServices, session_id: string): StartedSession {
  const end = async () => {
    await services.runs.live(session_id)?.done;
    if (services.shared === undefined) return await storedSession(services, session_id);
    return await (await import("./workers/await-end.ts")).untilEnded(services.shared, session_id);
  };
  let done: Promise<SessionOutcome> | undefined;
  return {
    session_id,
    get done() {
      done ??= end();
      return done;
    },
  };
}

export interface StartedSeries {
  readonly series_id: string;
  /** Whatever the series came to. @throws Failure when its end cannot be stored. */
  readonly done: Promise<SeriesRecord>;
}
