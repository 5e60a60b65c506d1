import { Failure } from "../../domain/failure.ts";
import type { SessionStore } from "../../store/store.ts";

export const CANCELLED = new Failure("cancelled", "The run was cancelled.");

/** Fires `stop` when somebody asks for the run's end in its log, wherever they are. `after` is a place in it. */
export function watchCancel(
  store: Pick<SessionStore, "read" | "watch">,
  { session_id, after }: { readonly session_id: string; readonly after: number },
  stop: AbortController,
): Disposable {
  let last = after;
  const look = async () => {
    for (const { n, entry } of await store.read(session_id, last)) {
      last = Math.max(last, n);
      if (entry.type === "cancel_asked") stop.abort(CANCELLED);
    }
  };
  // One that failed is made up for by the next.
  const unwatch = store.watch(session_id, () => void look().catch(() => undefined));
  return { [Symbol.dispose]: unwatch };
}
