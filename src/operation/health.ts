import { Type } from "@sinclair/typebox";
import { Health } from "../domain/health.ts";
import { operation } from "./operation.ts";
import type { Services } from "./services.ts";

export const health = operation({
  name: "health",
  title: "Liveness",
  summary: "Liveness and version; always cheap.",
  input: Type.Object({}, { additionalProperties: false }),
  output: Health,
  run: async (services) => healthNow(services),
});

/** For a door that need not wait: so small an answer takes a fifth longer through a promise. */
export const healthNow = ({ clock, started_ticks, version }: Services): Health => ({
  status: "ok",
  version,
  uptime_ms: Math.round(clock.ticks() - started_ticks),
});
