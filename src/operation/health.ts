import { Type } from "@sinclair/typebox";
import { Health } from "../domain/health.ts";
import { operation } from "./operation.ts";
import type { Services } from "./services.ts";

/** In one step: whoever watches a service asks this all the time. */
export const healthOf = ({ clock, started_ticks, version }: Pick<Services, "clock" | "started_ticks" | "version">) => ({
  status: "ok" as const,
  version,
  uptime_ms: Math.round(clock.ticks() - started_ticks),
});

export const health = operation({
  name: "health",
  title: "Liveness",
  summary: "Liveness and version; always cheap.",
  input: Type.Object({}, { additionalProperties: false }),
  output: Health,
  run: async (services) => healthOf(services),
});
