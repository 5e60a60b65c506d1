import { Health } from "../domain/health.ts";
import { record } from "../domain/schema.ts";
import { operation } from "./operation.ts";

export const getHealth = operation({
  name: "get_health",
  title: "Liveness",
  summary: "Liveness and version; always cheap.",
  input: record("HealthRequest", {}),
  output: Health,
  async run({ clock, started_ticks, version }) {
    return { status: "ok" as const, version, uptime_ms: Math.round(clock.ticks() - started_ticks) };
  },
});
