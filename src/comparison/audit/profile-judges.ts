import { judgeModelRef } from "../../arms/model/model-ref.ts";
import type { JudgeProfiles as Answer } from "../../domain/judge-profile.ts";
import type { SessionListing } from "../../domain/session-list.ts";
import { breathe } from "../../runtime/pace.ts";
import { readableSession } from "../../store/read-session.ts";
import type { SessionStore } from "../../store/store.ts";
import { JudgeTallies } from "./profile.ts";

/** Sessions that are read at most, newest first. */
const MOST_SESSIONS = 1_000;

/** Sessions that are listed at once. */
const PAGE = 500;

/**
 * Reads one session after the other, and lets others have their turn after each.
 * @throws Failure `storage_failed`, `invalid_request` for a model that can be no judge; the signal's reason when it fires
 */
export async function profileJudges(
  store: Pick<SessionStore, "list" | "read">,
  model: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const profiles = new JudgeTallies(model && judgeModelRef(model));
  let sessions_read = 0;
  for await (const { session_id, outcome } of newestFirst(store)) {
    signal.throwIfAborted();
    if (sessions_read === MOST_SESSIONS) return { judges: profiles.profiles(), sessions_read, complete: false };
    sessions_read += 1;
    // A log is the largest thing here. Without a verdict it says nothing of a judge.
    const session = outcome === null ? undefined : await readableSession(store, session_id);
    if (session) profiles.add(session);
    await breathe();
  }
  return { judges: profiles.profiles(), sessions_read, complete: !profiles.overflown };
}

async function* newestFirst(store: Pick<SessionStore, "list">): AsyncGenerator<SessionListing> {
  for (let before: string | undefined; ; ) {
    const page = await store.list({ limit: PAGE, ...(before && { before }) });
    yield* page;
    before = page.at(-1)?.session_id;
    if (page.length < PAGE) return;
  }
}
