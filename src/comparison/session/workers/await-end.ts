import { Failure } from "../../../domain/failure.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { readSession } from "../../../store/read-session.ts";
import type { SessionStore } from "../../../store/store.ts";

/** Resolves when the session has ended, wherever it runs. @throws Failure when it cannot be read */
export async function untilEnded(
  store: Pick<SessionStore, "read" | "watch">,
  session_id: string,
): Promise<SessionOutcome> {
  let woken = Promise.withResolvers<void>();
  const unwatch = store.watch(session_id, () => woken.resolve());
  try {
    for (let from = 0; ; ) {
      woken = Promise.withResolvers();
      const entries = await store.read(session_id, from);
      if (entries.some(({ entry }) => entry.type === "ended")) break;
      from = entries.at(-1)?.n ?? from;
      await woken.promise;
    }
  } finally {
    unwatch();
  }
  const outcome = await readSession(store, session_id);
  if (outcome) return outcome;
  throw new Failure("unknown_session", `the log of ${session_id} is gone`);
}
