import type { Health } from "../domain/health.ts";
import type { Services } from "./services.ts";

/** No `Operation`: one door asks, and so small an answer takes a fifth longer through a promise. */
export const health = ({ clock, started_ticks, version }: Services): Health => ({
  status: "ok",
  version,
  uptime_ms: Math.round(clock.ticks() - started_ticks),
});
