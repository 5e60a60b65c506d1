import { Elysia } from "elysia";
import type { Services } from "../../operation/operation.ts";
import type { Metrics } from "../metrics.ts";
import { about, failures } from "../openapi/describe.ts";

/** What this process counts, for Prometheus. */
export const metricsRoute = (services: Services, metrics: Metrics) =>
  new Elysia({ name: "metrics-route" }).get(
    "/api/metrics",
    async () => {
      const { type, text } = await metrics.text(services);
      return new Response(text, { headers: { "content-type": type, "cache-control": "no-store" } });
    },
    {
      detail: {
        ...about(OPERATION, "extension"),
        responses: {
          200: {
            description: "Prometheus' text format, version 0.0.4.",
            content: { "text/plain": { schema: { type: "string" as const }, example: "abeval_sessions_running 2\n" } },
          },
          ...failures(),
        },
      },
    },
  );

const OPERATION = {
  name: "read_metrics",
  title: "Metrics",
  summary:
    "Counters and gauges of this process for Prometheus, and what waits in its store. No label has a value that a user, a scenario or a model chose.",
};
