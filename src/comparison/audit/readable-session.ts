import { Value } from "@sinclair/typebox/value";
import { SessionOutcome } from "../../domain/session.ts";
import { foldLog } from "../../store/read-session.ts";
import type { SessionStore } from "../../store/store.ts";

/** Undefined for what another version wrote, or nobody: it keeps no other session from being read. */
export async function readableSession(
  store: Pick<SessionStore, "read">,
  session_id: string,
): Promise<SessionOutcome | undefined> {
  const session = foldLog(await store.read(session_id));
  return session && Value.Check(SessionOutcome, session) ? session : undefined;
}
