import { Type } from "@sinclair/typebox";
import { Health } from "../domain/health.ts";
import { operation } from "./operation.ts";

export const health = operation({
  name: "health",
  title: "Liveness",
  summary: "Liveness and version; always cheap.",
  input: Type.Object({}, { additionalProperties: false }),
  output: Health,
  async run({ clock, started_ticks, version }) {
    return { status: "ok" as const, version, uptime_ms: Math.round(clock.ticks() - started_ticks) };
  },
});
