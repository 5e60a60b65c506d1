import { Value } from "@sinclair/typebox/value";
import { Failure } from "../domain/failure.ts";
import { type ArmSummary, SessionOutcome } from "../domain/session.ts";
import type { SessionEntry, SessionLog } from "../domain/session-entry.ts";
import { demandKnown, fold } from "./fold.ts";
import type { LoggedEntry, SessionStore } from "./store.ts";
import { fitted } from "./stored-json.ts";

/**
 * A session as it is now; undefined when it is unknown. What another session ran for it is read from there.
 * @throws Failure as `read` does, `newer_version` for a log that this version cannot read whole (a damaged one may look so), `storage_failed` for one that is no log
 */
export const readSession = async (
  store: Pick<SessionStore, "read">,
  session_id: string,
): Promise<SessionOutcome | undefined> => await withShared(store, checkedFold(await store.read(session_id)));

/** The decisions and the work of arms that ran in other sessions of the round. Where one is gone, what is kept of it here stays. */
async function withShared(
  store: Pick<SessionStore, "read">,
  outcome: SessionOutcome | undefined,
): Promise<SessionOutcome | undefined> {
  if (outcome?.arms.every(({ shared }) => shared === undefined) !== false) return outcome;
  const decisions = { ...outcome.decisions };
  const shown = async (arm: ArmSummary): Promise<ArmSummary> => {
    const { arm_id, shared } = arm;
    const ran = shared && checkedFold(await store.read(shared.session_id));
    const own = ran?.arms.find((one) => one.arm_id === shared?.arm_id);
    if (!ran || !own || !shared) return arm;
    decisions[arm_id] = ran.decisions[shared.arm_id] ?? [];
    return { ...own, arm_id, title: arm.title, shared };
  };
  const [a, b] = outcome.arms;
  return { ...outcome, arms: [await shown(a), await shown(b)], decisions };
}

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
