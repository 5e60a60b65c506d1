import type { SessionServices } from "../../../comparison/planning/services.ts";
import { seriesInFlight } from "../../../comparison/session/in-flight.ts";
import type { StartedSeries } from "../../../comparison/session/started-session.ts";
import type { RunEvent } from "../../../domain/event.ts";
import type { TrialRow } from "../../../domain/trial.ts";
import { followSeries } from "../../operation/follow-series.ts";
import { ContestLines } from "./contest-lines.ts";
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
  const lines = record.plan.contest ? new ContestLines(record, painter) : new TrialLines(record, painter);
  const here = new Set(running.sessions);
  const before = (await store.trials({ series_id })).filter(({ session_id }) => !here.has(session_id));
  process.stderr.write(lines.begin(before));
  for await (const { event } of events) {
    if (event.event !== "verdict_ready" && event.event !== "session_failed") continue;
    const [row] = await store.trials({ session_id: event.session_id });
    process.stderr.write(lineOf(lines, event, row));
  }
}

function lineOf(
  lines: Pick<TrialLines, "judged" | "lost">,
  event: Extract<RunEvent, { event: "verdict_ready" | "session_failed" }>,
  row: TrialRow | undefined,
): string {
  if (event.event === "verdict_ready") return lines.judged(event.verdict, row);
  return lines.lost(row?.state ?? "failed", event.code === "cancelled" ? "" : event.message, row);
}
