import type { RunEvent } from "../domain/event.ts";
import type { SeriesInFlight } from "../session/series-in-flight.ts";
import type { SessionStore } from "../store/store.ts";
import { type Announcement, followRun } from "./follow-run.ts";

/**
 * What the trials of a series announce, interleaved: those that run now from their start, then those that come, to the end of
 * the series. Trials that ended before are read with the series. Places count the announcements.
 */
export async function* followSeries(
  store: Pick<SessionStore, "read" | "watch">,
  series: SeriesInFlight,
  signal?: AbortSignal,
): AsyncGenerator<Announcement, void, void> {
  const waiting: RunEvent[] = [];
  const following = new Set<Promise<void>>();
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  let over = false;
  const end = () => {
    over = true;
    wake();
  };
  series.done.then(end, end);
  signal?.addEventListener("abort", wake, { once: true });
  const follow = async (session_id: string) => {
    for await (const { event } of followRun(store, session_id, signal)) {
      waiting.push(event);
      wake();
    }
  };
  const firstOpen = series.sessions.findIndex((session_id) => series.open.has(session_id));
  let [begun, n] = [firstOpen < 0 ? series.sessions.length : firstOpen, 0];
  while (!signal?.aborted) {
    woken = Promise.withResolvers();
    const more = series.next();
    for (const session_id of series.sessions.slice(begun)) {
      const followed = follow(session_id).finally(() => following.delete(followed));
      following.add(followed);
      followed.then(wake, wake);
    }
    begun = series.sessions.length;
    for (const event of waiting.splice(0)) {
      n += 1;
      yield { n, attempt: 1, event };
    }
    if (waiting.length > 0) continue;
    if (over && following.size === 0) return;
    await Promise.race([woken.promise, more]);
  }
}
