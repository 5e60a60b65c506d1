import { followSeries } from "../operation/follow-series.ts";
import { seriesInFlight } from "../session/in-flight.ts";
import type { SessionServices } from "../session/services.ts";
import type { StartedSeries } from "../session/started-series.ts";
import type { Painter } from "./paint.ts";
import { TrialLines } from "./trial-lines.ts";

/** Tells on stderr how each trial ended. Resolves with the end of the series. */
export async function tellTrials(
  services: Pick<SessionServices, "runs" | "series" | "store" | "shared" | "clock">,
  { series_id }: StartedSeries,
  painter: Painter,
): Promise<void> {
  const { store } = services;
  const [running, record] = [await seriesInFlight(services, series_id), await store.series.read(series_id)];
  if (running === undefined || record === undefined) return;
  const events = followSeries(store, running);
  const lines = new TrialLines(record, painter);
  const before = await store.trials({ series_id });
  process.stderr.write(lines.begin(before.filter(({ session_id }) => !running.sessions.includes(session_id)).length));
  for await (const { event } of events) {
    if (event.event !== "verdict_ready" && event.event !== "session_failed") continue;
    const rows = await store.trials({ series_id });
    const row = rows.find(({ session_id }) => session_id === event.session_id);
    const text =
      event.event === "verdict_ready"
        ? lines.judged(event.verdict, row)
        : lines.lost(row?.state ?? "failed", event.code === "cancelled" ? "" : event.message, row);
    process.stderr.write(text);
  }
}
