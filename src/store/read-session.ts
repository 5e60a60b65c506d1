import { Value } from "@sinclair/typebox/value";
import { Failure } from "../domain/failure.ts";
import { SessionOutcome } from "../domain/session.ts";
import type { SessionEntry, SessionLog } from "../domain/session-entry.ts";
import { demandKnown, fold } from "./fold.ts";
import type { LoggedEntry, SessionStore } from "./store.ts";
import { fitted } from "./stored-json.ts";

/**
 * A session as it is now; undefined when it is unknown.
 * @throws Failure as `read` does, `newer_version` for a log that this version cannot read whole (a damaged one may look so), `storage_failed` for one that is no log
 */
export const readSession = async (
  store: Pick<SessionStore, "read">,
  session_id: string,
): Promise<SessionOutcome | undefined> => checkedFold(await store.read(session_id));

/** Without the fields that a newer version has added. @throws Failure `newer_version`, `storage_failed` */
export function checkedFold(log: readonly LoggedEntry[]): SessionOutcome | undefined {
  const outcome = foldLog(log);
  if (log.length === 0 || (outcome !== undefined && Value.Check(SessionOutcome, outcome))) return outcome;
  demandKnown(log.map(({ entry }) => entry));
  const readable = outcome && fitted(SessionOutcome, outcome);
  if (readable) return readable;
  throw outcome
    ? new Failure(
        "newer_version",
        "this session was written by a newer version of abeval, or is damaged: use that version",
      )
    : new Failure("storage_failed", "this session was stored in a form that this version of abeval cannot read");
}

/** Folds a log that this process wrote and need not check. Undefined when it is empty or no log. */
export function foldLog(log: readonly LoggedEntry[]): SessionOutcome | undefined {
  const entries = log.map(({ entry }) => entry);
  try {
    return isLog(entries) ? fold(entries) : undefined;
  } catch {
    return undefined;
  }
}

export const isLog = (entries: readonly SessionEntry[]): entries is SessionLog => entries[0]?.type === "created";

/** Undefined for what another version wrote, or nobody: it keeps no other session from being read. */
export async function readableSession(
  store: Pick<SessionStore, "read">,
  session_id: string,
): Promise<SessionOutcome | undefined> {
  const session = foldLog(await store.read(session_id));
  return session && (Value.Check(SessionOutcome, session) ? session : fitted(SessionOutcome, session));
}
