import { Failure } from "../../domain/failure.ts";
import { Health } from "../../domain/health.ts";
import { record } from "../../domain/schema.ts";
import { operation } from "./operation.ts";
import type { Services } from "./services.ts";

export const getHealth = operation({
  name: "get_health",
  title: "Liveness",
  summary:
    "Liveness and version; always cheap. It says whether the database can be reached, and answers 200 all the same: starting the process again would help nobody.",
  input: record("HealthRequest", {}),
  output: Health,
  run: healthOf,
});

export const getReadiness = operation({
  name: "get_readiness",
  title: "Readiness",
  summary:
    "Whether this server can do what it is asked for: as health, and 503 while its database is out of reach. For a load balancer with several servers.",
  input: record("ReadinessRequest", {}),
  output: Health,
  async run(services) {
    const health = await healthOf(services);
    if (health.database !== "unreachable") return health;
    throw new Failure("not_ready", "the database does not answer this server", { retryable: true });
  },
});

async function healthOf({ clock, started_ticks, version, shared }: Services): Promise<Health> {
  const alive = { status: "ok" as const, version, uptime_ms: Math.round(clock.ticks() - started_ticks) };
  return shared ? { ...alive, database: (await shared.reachable()) ? "reachable" : "unreachable" } : alive;
}
